// Sparse matrix times vector with k entries in every row: a thread a row (lanes are k entries apart) or a warp a row.
/* gpuprobe
[[kernel]]
name = "scalar_rows"
vars = { rows = 1048576, k = [7, 8] }
grid = "rows / 256"
block = 256
args = ["val:f32[rows * k] = random", "col:i32[rows * k] = mod(32)", "x:f32[32] = random", "y:f32[rows]", "k:i32 = k"]
finding = "uncoalesced-load"

[[kernel]]
name = "warp_rows"
vars = { rows = 65536, k = 64 }
grid = "rows / 8"
block = 256
args = ["val:f32[rows * k] = random", "col:i32[rows * k] = mod(32)", "x:f32[32] = random", "y:f32[rows]", "k:i32 = k"]
finding = "none"
*/

__global__ void scalar_rows(const float* val, const int* col, const float* x, float* y, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) {
    const float v = val[row * k + j];
    const int c = col[row * k + j];
    sum += v * x[c];
  }
  y[row] = sum;
}

__global__ void warp_rows(const float* val, const int* col, const float* x, float* y, int k) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int j = lane; j < k; j += 32) {
    const float v = val[row * k + j];
    const int c = col[row * k + j];
    sum += v * x[c];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}
