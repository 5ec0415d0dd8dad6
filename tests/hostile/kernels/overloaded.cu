// exit 2: 'k' names no kernel: cannot determine
/* gpuprobe
[[kernel]]
name="k"
grid=[1]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int*o){o[0]=1;} __global__ void k(float*o){o[0]=1;}
