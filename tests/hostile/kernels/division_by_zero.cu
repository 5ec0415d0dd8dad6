// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]","z:i32=0"]
*/
__global__ void k(int*o,int z){o[threadIdx.x]=threadIdx.x/z;}
