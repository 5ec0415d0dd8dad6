// exit 2: block.x is 1025
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[1025]

args=["o:i32[1]"]
*/
__global__ void k(int*o){}
