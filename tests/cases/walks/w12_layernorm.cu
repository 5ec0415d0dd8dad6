// Layer normalisation of rows of 1024, a warp a row: mean and variance by butterfly shuffles.
/* gpuprobe
[[kernel]]
name = "layernorm"
vars = { rows = 2048 }
grid = "rows / 8"
block = 256
args = ["in:f32[rows * 1024] = random(-1, 3)", "gamma:f32[1024] = random", "beta:f32[1024] = random", "out:f32[rows * 1024]"]
check_kernel = "reference"
within = 1e-4
finding = "none"
*/

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

__global__ void layernorm(const float* in, const float* gamma, const float* beta, float* out) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  float v[32];
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    v[i] = in[row * 1024 + i * 32 + lane];
    sum += v[i];
  }
  const float mean = warp_sum(sum) / 1024.0f;
  float square = 0.0f;
#pragma unroll
  for (int i = 0; i < 32; ++i) square += (v[i] - mean) * (v[i] - mean);
  const float scale = rsqrtf(warp_sum(square) / 1024.0f + 1e-5f);
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const float g = gamma[i * 32 + lane];
    const float b = beta[i * 32 + lane];
    out[row * 1024 + i * 32 + lane] = (v[i] - mean) * scale * g + b;
  }
}

__global__ void reference(const float* in, const float* gamma, const float* beta, float* out) {
  for (int r = 0; r < 8; ++r) {
    const int row = blockIdx.x * 8 + r;
    float sum = 0.0f;
    for (int i = 0; i < 1024; ++i) sum += in[row * 1024 + i];
    const float mean = sum / 1024.0f;
    float square = 0.0f;
    for (int i = 0; i < 1024; ++i) square += (in[row * 1024 + i] - mean) * (in[row * 1024 + i] - mean);
    const float scale = 1.0f / sqrtf(square / 1024.0f + 1e-5f);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
      out[row * 1024 + i] = (in[row * 1024 + i] - mean) * scale * gamma[i] + beta[i];
  }
}
