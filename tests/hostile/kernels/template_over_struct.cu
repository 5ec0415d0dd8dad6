// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k<S>"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
struct S{int x;}; template<class T> __global__ void k(T* o){ o[threadIdx.x].x=1; }
