// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
extern "C" __global__ void k(int* o){ o[threadIdx.x]=3; }
