// exit 4: host needs inside #ifndef
/* gpuprobe
[[kernel]]
name="k"
grid=[4]
block=[32]

args=["o:i32[32]"]
*/
#include <assert.h>
__global__ void k(int* o){ assert(o[threadIdx.x]==7); o[0]=1; }
