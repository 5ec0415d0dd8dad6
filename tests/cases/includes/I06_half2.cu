// Packed half and bfloat16 arithmetic of cuda_fp16.h and cuda_bf16.h.
/* gpuprobe
[[kernel]]
name  = "half_axpy"
vars  = { n = 1048576 }
grid  = ["ceildiv(n, 256)"]
block = [128]
args  = [
  "x:f16[n] = random", "y:f16[n] = random", "b:bf16[n] = random",
  "out:f16[n] = zeros", "outb:bf16[n] = zeros"
]
check_kernel = "half_plain"
within = 2e-3
finding = "none"
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void half_axpy(const __half2* x, const __half2* y, const __nv_bfloat162* b, __half2* out,
                          __nv_bfloat162* outb) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 a = __float2half2_rn(2.0f);
  __half2 r = __hfma2(a, x[i], y[i]);
  r = __hadd2(r, __hmul2(x[i], y[i]));
  r = __hsub2(r, __hmax2(x[i], y[i]));
  r = h2sqrt(__habs2(r));
  out[i] = __hadd2(r, h2exp(__hneg2(x[i])));
  outb[i] = __hmul2(b[i], b[i]);
}
__global__ void half_plain(const __half* x, const __half* y, const __nv_bfloat16* b, __half* out,
                           __nv_bfloat16* outb) {
  for (int k = 0; k < 2; ++k) {
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + k;
    const float u = __half2float(x[i]), v = __half2float(y[i]);
    out[i] = __float2half(sqrtf(fabsf(2 * u + v + u * v - fmaxf(u, v))) + expf(-u));
    outb[i] = __float2bfloat16(__bfloat162float(b[i]) * __bfloat162float(b[i]));
  }
}
