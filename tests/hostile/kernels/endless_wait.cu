// exit 4: for memory that another block must change
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(volatile int* o){ while(o[0]==0); }
