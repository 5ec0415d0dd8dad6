// exit 3: exceeds 524288 bytes
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]","n:i32=8"]
*/
__global__ void k(int*o,int n){ int p[200000]; for(int i=0;i<n;i++)p[(i*7919)%200000]=i; o[threadIdx.x]=p[n]; }
