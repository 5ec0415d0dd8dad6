// Softmax of rows of 1024, a block a row: maximum and sum by shuffles and one word of shared memory a warp.
/* gpuprobe
[[kernel]]
name = "softmax"
vars = { rows = 1024 }
grid = "rows"
block = 256
args = ["in:f32[rows * 1024] = random(-4, 4)", "out:f32[rows * 1024]"]
check_kernel = "reference"
within = 1e-5
finding = "none"
*/

template <class Op>
__device__ float block_reduce(float v, float* shared, Op op) {
  for (int d = 16; d > 0; d /= 2) v = op(v, __shfl_xor_sync(0xffffffffu, v, d));
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
  __syncthreads();
  v = shared[0];
  for (int w = 1; w < 8; ++w) v = op(v, shared[w]);
  __syncthreads();
  return v;
}

__global__ void softmax(const float* in, float* out) {
  __shared__ float shared[8];
  const float* row = in + blockIdx.x * 1024;
  float v[4];
  for (int i = 0; i < 4; ++i) v[i] = row[threadIdx.x + i * 256];
  float peak = fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3]));
  peak = block_reduce(peak, shared, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i) sum += v[i] = expf(v[i] - peak);
  sum = block_reduce(sum, shared, [](float a, float b) { return a + b; });
  for (int i = 0; i < 4; ++i) out[blockIdx.x * 1024 + threadIdx.x + i * 256] = v[i] / sum;
}

__global__ void reference(const float* in, float* out) {
  const float* row = in + blockIdx.x * 1024;
  float peak = row[0];
  for (int i = 1; i < 1024; ++i) peak = fmaxf(peak, row[i]);
  float sum = 0.0f;
  for (int i = 0; i < 1024; ++i) sum += expf(row[i] - peak);
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) out[blockIdx.x * 1024 + i] = expf(row[i] - peak) / sum;
}
