// Three levels of inlining, two call sites of the same helper, a call that is not inlined, printf and assert.
#include <cassert>
#include <cstdio>

__device__ __forceinline__ float square(float x) {
  return x * x;
}

__device__ __forceinline__ float norm(const float* p, int i) {
  return square(p[i]) +
         square(p[i + 1]);
}

__device__ __noinline__ int clamp_index(int i, int n) {
  if (i < 0) return 0;
  return i < n ? i : n - 1;
}

extern "C" __global__ void inlined(float* out, const float* in, int n) {
  assert(n > 0);
  const int i = clamp_index(blockIdx.x * blockDim.x + threadIdx.x, n);
  float sum = norm(in, i);
  if (sum > 1.0f) sum += norm(in, i + 2);
  if (sum > 9.0f) printf("large: %f at %d\n", sum, i);
  out[i] = sum;
}
