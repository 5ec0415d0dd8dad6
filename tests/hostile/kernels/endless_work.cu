// exit 4: the kernel had not ended when the time limit was reached
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]
args=["o:i32[32]"]
*/
__global__ void k(volatile int* o) { for (;;) o[threadIdx.x] = o[threadIdx.x] + 1; }
