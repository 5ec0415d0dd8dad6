// exit 3: not supported
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
struct A{__device__ virtual int f(){return 1;}}; struct B:A{__device__ int f(){return 2;}}; __global__ void k(int*o){ B b; A*a=o[0]?(A*)&b:new A; o[threadIdx.x]=a->f(); }
