// exit 2: 'k3' names no kernel: identifier
/* gpuprobe
[[kernel]]
name="k3"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int*o){o[0]=1;} __global__ void k2(float*o){o[0]=1;}
