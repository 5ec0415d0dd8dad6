// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k"
grid=[2147483647]
block=[32]

args=["o:i32[1]"]
*/
__global__ void k(int*o){o[0]=blockIdx.x;}
