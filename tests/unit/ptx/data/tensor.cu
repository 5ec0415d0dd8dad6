// Half precision, tensor cores, ldmatrix and cp.async by inline assembly, approximations, double precision.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

extern "C" __global__ void fragments(const half* a, const half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}

extern "C" __global__ void assembly(const uint4* in, float* out) {
  __shared__ uint4 stage[64];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&stage[threadIdx.x]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + threadIdx.x));
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;");
  __syncthreads();
  unsigned m[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(at));
  float d[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3]), "r"(m[0]), "r"(m[1]));
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %0, 0;\n\t@p bra DONE;\n\tst.global.f32 [%1], %2;\nDONE:\n\t}"
               ::"r"(m[2]), "l"(out + 8), "f"(d[1]));
  asm volatile("{\n\t.reg .pred p;\n\tsetp.gt.b32 p, %0, 3;\n\t@!p bra DONE;\n\tst.global.f32 [%1], %2;\nDONE:\n\t}"
               ::"r"(m[3]), "l"(out + 9), "f"(d[2]));
  out[threadIdx.x] = d[0] + d[3];
}

extern "C" __global__ void arithmetic(__half2* h, __nv_bfloat162* b, float* f, double* d) {
  h[0] = __hfma2(h[1], h[2], h[3]);
  b[0] = __hadd2(b[1], b[2]);
  f[0] = __expf(f[1]) + sinf(f[2]) + __half2float(h2sqrt(h[4]).x) + rsqrtf(f[3]) + powf(f[4], f[5]);
  d[0] = sqrt(d[1]) + exp(d[2]) + fmin(d[3], -1.0 / 3);
}
