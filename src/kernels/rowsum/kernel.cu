// sums[r] = sum of row r of a row-major matrix: the same bytes, read by three arrangements of the threads.

// A thread for each row. In every step the lanes of a warp read one column: 32 addresses a row apart, a sector each.
__global__ void rowsum_thread_per_row(const float* matrix, float* sums, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column) {
    const float value = matrix[(size_t)row * columns + column];
    sum += value;
  }
  sums[row] = sum;
}

// Adds a value over the lanes of a warp; lane 0 has the result.
__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

// A block for each row. The lanes read along the row, then the block adds up its threads' sums: within each warp by
// shuffles, between the warps through shared memory.
__global__ void rowsum_block_per_row(const float* matrix, float* sums, int rows, int columns) {
  __shared__ float partial[32];
  const int row = blockIdx.x;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int warps = (blockDim.x + 31) / 32;
  float sum = 0.0f;
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    const float value = matrix[(size_t)row * columns + column];
    sum += value;
  }
  sum = warp_sum(sum);
  if (lane == 0)
    partial[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = 0.0f;
  if (lane < warps)
    sum = partial[lane];
  sum = warp_sum(sum);
  if (lane == 0)
    sums[row] = sum;
}

// A warp for each row: no shared memory and no barrier, but fewer loads in flight for each row.
__global__ void rowsum_warp_per_row(const float* matrix, float* sums, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;  // the same for all lanes of a warp
  float sum = 0.0f;
  for (int column = lane; column < columns; column += 32) {
    const float value = matrix[(size_t)row * columns + column];
    sum += value;
  }
  sum = warp_sum(sum);
  if (lane == 0)
    sums[row] = sum;
}
