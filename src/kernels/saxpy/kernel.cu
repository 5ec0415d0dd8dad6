// y = alpha * x + y, element by element: two loads and a store for one multiply-add, so memory decides.
// A thread takes GPUPROBE_VECTOR neighbouring elements in one access. That changes the number of requests, not the
// number of bytes: 16 sectors a request are as perfect for 16 bytes a lane as 4 are for 4.

#ifndef GPUPROBE_VECTOR
#define GPUPROBE_VECTOR 1
#endif
#ifndef GPUPROBE_TYPE_BITS
#define GPUPROBE_TYPE_BITS 32  // 16, 32 or 64
#endif

#if GPUPROBE_TYPE_BITS == 16
#include <cuda_fp16.h>
using Element = __half;
using Real = float;
__device__ float widened(__half value) { return __half2float(value); }
__device__ __half narrowed(float value) { return __float2half_rn(value); }
#elif GPUPROBE_TYPE_BITS == 64
using Element = double;
using Real = double;
__device__ double widened(double value) { return value; }
__device__ double narrowed(double value) { return value; }
#else
using Element = float;
using Real = float;
__device__ float widened(float value) { return value; }
__device__ float narrowed(float value) { return value; }
#endif

__device__ Element multiply_add(Real alpha, Element x, Element y) {
  return narrowed(alpha * widened(x) + widened(y));
}

// One element a thread.
__global__ void saxpy(int n, Real alpha, const Element* x, Element* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Element left = x[i];
  const Element right = y[i];
  y[i] = multiply_add(alpha, left, right);
}

// Several neighbouring elements a thread, moved together: the alignment of the pack makes it one access.
struct alignas(sizeof(Element) * GPUPROBE_VECTOR) Pack {
  Element element[GPUPROBE_VECTOR];
};

__global__ void saxpy_packed(int n, Real alpha, const Element* x, Element* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int packs = n / GPUPROBE_VECTOR;
  if (i < packs) {
    const Pack left = reinterpret_cast<const Pack*>(x)[i];
    Pack right = reinterpret_cast<Pack*>(y)[i];
    for (int j = 0; j < GPUPROBE_VECTOR; ++j)
      right.element[j] = multiply_add(alpha, left.element[j], right.element[j]);
    reinterpret_cast<Pack*>(y)[i] = right;
  }
  // Elements that do not fill a pack: one each for the first threads.
  const int rest = packs * GPUPROBE_VECTOR + i;
  if (rest < n) {
    const Element left = x[rest];
    const Element right = y[rest];
    y[rest] = multiply_add(alpha, left, right);
  }
}
