// exit 4: that never ends: it accesses no global memory
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ for(unsigned i=0;;i++) o[threadIdx.x]=i; }
