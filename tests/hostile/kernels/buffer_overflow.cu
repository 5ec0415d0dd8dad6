// exit 2: does not fit in 64 bits
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[9223372036854775807*4]"]
*/
__global__ void k(int*o){o[0]=1; }
