// exit 3: not supported
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]","t:u64=0"]
*/
__global__ void k(int*o, cudaTextureObject_t t){o[threadIdx.x]=tex1Dfetch<int>(t,threadIdx.x);}
