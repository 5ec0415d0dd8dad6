// exit 4: does not compile
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]
args=["o:f32[32]"]
*/
__global__ void k(float* o) { o[threadIdx.x] = 1.f
