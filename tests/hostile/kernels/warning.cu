// exit 0: verdict
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
#warning hello
__global__ void k(int*o){int unused=3; o[0]=1;}
