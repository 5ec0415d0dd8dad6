// Each thread adds up every (stride x threads)-th element: a grid-stride loop whose lanes stand a stride apart.
// With a stride of s, the array is touched once in s elements, so less data is wanted; but a sector holds 8 floats, so
// up to s = 8 every sector of the array is still moved.

__global__ void strided_sum(const float* in, float* out, unsigned long long n, int stride) {
  const unsigned long long t = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  const unsigned long long threads = gridDim.x * (unsigned long long)blockDim.x;
  float sum = 0.0f;
  for (unsigned long long j = t * stride; j < n; j += threads * stride) {
    const float value = in[j];
    sum = sum * 1.000000119f + value;  // the factor keeps the order of the additions: no loads are left out
  }
  if (t < n)
    out[t] = sum;
}
