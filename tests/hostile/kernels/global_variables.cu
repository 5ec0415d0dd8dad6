// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__device__ int g[4]={1,2,3,4}; __constant__ int c[4]={5,6,7,8}; __global__ void k(int*o){ o[threadIdx.x]=g[threadIdx.x&3]+c[threadIdx.x&3]; g[0]=threadIdx.x; }
