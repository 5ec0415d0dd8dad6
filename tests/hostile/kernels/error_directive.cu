// exit 4: stop here
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
#error stop here
__global__ void k(int*o){}
