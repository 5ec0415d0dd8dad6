// exit 3: the heap of the device
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ int*p=new int[10]; p[0]=1; o[threadIdx.x]=p[0]; delete[] p; }
