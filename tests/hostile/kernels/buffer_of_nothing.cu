// exit 2: element count is 0
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[0]"]
*/
__global__ void k(int*o){}
