// exit 4: does not compile
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void c(int*o){o[0]=1;} __global__ void k(int*o){ c<<<1,1>>>(o); }
