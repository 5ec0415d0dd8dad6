// exit 4: executed trap
/* gpuprobe
[[kernel]]
name="k"
grid=[4]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ if(threadIdx.x==5) __trap(); o[0]=1; }
