// Sparse matrix times vector, 27 entries a row at columns that a hash chooses: a thread a row, and a warp a row.
/* gpuprobe
[[kernel]]
name = "scalar_rows"
vars = { rows = 65536, k = 27 }
grid = "rows / 256"
block = 256
args = ["val:f32[rows * k] = random", "x:f32[rows] = random", "y:f32[rows]", "rows:i32 = rows", "k:i32 = k"]
check_kernel = "reference"
within = 1e-5
finding = "uncoalesced-load"

[[kernel]]
name = "warp_rows"
vars = { rows = 16384, k = 27 }
grid = "rows / 8"
block = 256
args = ["val:f32[rows * k] = random", "x:f32[rows] = random", "y:f32[rows]", "rows:i32 = rows", "k:i32 = k"]
check_kernel = "reference"
within = 1e-5
*/

__device__ int column(int row, int j, int rows) {
  unsigned h = row * 2654435761u + j * 40503u;
  h ^= h >> 15;
  return h % rows;
}

__global__ void scalar_rows(const float* val, const float* x, float* y, int rows, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < k; ++j) {
    const float v = val[row * k + j];
    sum += v * x[column(row, j, rows)];
  }
  y[row] = sum;
}

__global__ void warp_rows(const float* val, const float* x, float* y, int rows, int k) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int j = lane; j < k; j += 32) {
    const float v = val[row * k + j];
    sum += v * x[column(row, j, rows)];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

__global__ void reference(const float* val, const float* x, float* y, int rows, int k) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    double sum = 0.0;
    for (int j = 0; j < k; ++j) sum += static_cast<double>(val[row * k + j]) * x[column(row, j, rows)];
    y[row] = static_cast<float>(sum);
  }
}
