// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k"
grid=[4]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ assert(threadIdx.x<1000); o[threadIdx.x]=1; }
