// 7x7 convolution with the filter in constant-like global memory (a broadcast) and no shared memory.
/* gpuprobe
[[kernel]]
name = "convolve"
vars = { n = 512 }
grid = ["n / 32", "n / 8"]
block = [32, 8]
args = ["in:f32[(n + 6) * (n + 6)] = random", "filter:f32[49] = random(-1, 1)", "out:f32[n * n]", "n:i32 = n"]
check_kernel = "reference"
within = 1e-4
*/

__global__ void convolve(const float* in, const float* filter, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < 7; ++j)
#pragma unroll
    for (int i = 0; i < 7; ++i) sum = fmaf(in[(y + j) * (n + 6) + x + i], filter[j * 7 + i], sum);
  out[y * n + x] = sum;
}

__global__ void reference(const float* in, const float* filter, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  double sum = 0.0;
  for (int j = 0; j < 7; ++j)
    for (int i = 0; i < 7; ++i) sum += static_cast<double>(in[(y + j) * (n + 6) + x + i]) * filter[j * 7 + i];
  out[y * n + x] = static_cast<float>(sum);
}
