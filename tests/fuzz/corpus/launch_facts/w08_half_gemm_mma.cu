// Half-precision product with tensor cores: one warp a 16x8 tile of C, mma.sync m16n8k16 with float accumulators.
/* gpuprobe
[[kernel]]
name = "gemm"
vars = { n = 256 }
grid = ["n / 8", "n / 16"]
block = 32
args = ["a:f16[n*n] = random(-1, 1)", "b:f16[n*n] = random(-1, 1)", "c:f32[n*n]", "n:i32 = n"]
arch = ["sm_80", "sm_90"]
check_kernel = "reference"
within = 1e-3
*/

#include <cuda_fp16.h>

// a is row-major, b is column-major (the layout that the instruction wants).
__global__ void gemm(const __half* a, const __half* b, float* c, int n) {
  const int lane = threadIdx.x;
  const int group = lane / 4;
  const int pair = lane % 4;
  const int row = blockIdx.y * 16;
  const int col = blockIdx.x * 8;
  float d[4] = {0, 0, 0, 0};
  for (int k = 0; k < n; k += 16) {
    unsigned fa[4], fb[2];
    fa[0] = *reinterpret_cast<const unsigned*>(a + (row + group) * n + k + pair * 2);
    fa[1] = *reinterpret_cast<const unsigned*>(a + (row + group + 8) * n + k + pair * 2);
    fa[2] = *reinterpret_cast<const unsigned*>(a + (row + group) * n + k + pair * 2 + 8);
    fa[3] = *reinterpret_cast<const unsigned*>(a + (row + group + 8) * n + k + pair * 2 + 8);
    fb[0] = *reinterpret_cast<const unsigned*>(b + (col + group) * n + k + pair * 2);
    fb[1] = *reinterpret_cast<const unsigned*>(b + (col + group) * n + k + pair * 2 + 8);
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  float* out = c + (row + group) * n + col + pair * 2;
  *reinterpret_cast<float2*>(out) = make_float2(d[0], d[1]);
  *reinterpret_cast<float2*>(out + 8 * n) = make_float2(d[2], d[3]);
}

__global__ void reference(const __half* a, const __half* b, float* c, int n) {
  for (int i = threadIdx.x; i < 128; i += 32) {
    const int row = blockIdx.y * 16 + i / 8;
    const int col = blockIdx.x * 8 + i % 8;
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += __half2float(a[row * n + k]) * __half2float(b[col * n + k]);
    c[row * n + col] = sum;
  }
}
