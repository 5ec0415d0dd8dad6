// exit 4: calls nest deeper
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__device__ __noinline__ int f(int n,int*o){ o[n&31]=n; return f(n+1,o)+n; } __global__ void k(int* o){ o[0]=f(threadIdx.x,o); }
