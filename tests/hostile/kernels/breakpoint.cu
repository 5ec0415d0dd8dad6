// exit 3: breakpoints
/* gpuprobe
[[kernel]]
name="k"
grid=[4]
block=[32]

args=["o:i32[32]"]
*/
__global__ void k(int* o){ __brkpt(); o[0]=1; }
