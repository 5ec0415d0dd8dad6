// exit 4: not one block of k fits
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]
shared=232449
args=["o:i32[32]"]
*/
extern __shared__ int s[]; __global__ void k(int* o){ s[threadIdx.x]=o[threadIdx.x]; __syncthreads(); o[threadIdx.x]=s[31-threadIdx.x]; }
