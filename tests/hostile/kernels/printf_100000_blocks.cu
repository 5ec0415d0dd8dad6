// exit 0: occupancy-block-size
/* gpuprobe
[[kernel]]
name="k"
grid=[100000]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ printf("hello %d %s %f\n", blockIdx.x, "x", 3.5); o[0]=1; }
