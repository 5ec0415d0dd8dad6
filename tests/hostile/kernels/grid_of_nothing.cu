// exit 2: grid.x is 0
/* gpuprobe
[[kernel]]
name="k"
grid=[0]
block=[32]

args=["o:i32[1]"]
*/
__global__ void k(int*o){}
