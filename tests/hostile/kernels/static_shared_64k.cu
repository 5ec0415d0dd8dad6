// exit 4: too much shared data
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ __shared__ int s[16384]; s[threadIdx.x]=o[threadIdx.x]; __syncthreads(); o[threadIdx.x]=s[31-threadIdx.x]; }
