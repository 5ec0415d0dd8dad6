// exit 2: 'k' names no kernel: cannot determine which instance
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
template<class T,int N> __global__ void k(T* o){ o[threadIdx.x]=N; }
