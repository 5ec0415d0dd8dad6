// exit 2: grid.x is 2147483648
/* gpuprobe
[[kernel]]
name="k"
grid=[2147483648]
block=[32]

args=["o:i32[1]"]
*/
__global__ void k(int*o){}
