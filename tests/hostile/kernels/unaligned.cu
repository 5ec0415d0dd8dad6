// exit 4: is not a multiple of 4
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i8[320]"]
*/
__global__ void k(char* o){ *(int*)(o+1+threadIdx.x)=3; }
