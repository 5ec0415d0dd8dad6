// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["n:i32=3"]
*/
__global__ void k(int n){ }
