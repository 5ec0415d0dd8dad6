// exit 4: past the end of 'o'
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ o[threadIdx.x+1000000000]=3; }
