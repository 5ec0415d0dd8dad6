// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k<int,4>"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
template<class T,int N> __global__ void k(T* o){ o[threadIdx.x]=N; }
