// exit 4: executed trap
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ *(int*)0=3; o[0]=1; }
