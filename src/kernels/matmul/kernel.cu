// C = A * B for row-major f32 matrices: A is m x k, B is k x n, C is m x n.
//
// Every thread makes one element of C. What differs between the variants is which element a lane takes, and
// whether the operands come from global memory each time or are staged in shared memory first.
// Each memory access stands on a line of its own, so that a finding's line names one access.

#ifndef GPUPROBE_TILE
#define GPUPROBE_TILE 32  // edge of the shared tiles, and of the thread block
#endif
#ifndef GPUPROBE_PAD
#define GPUPROBE_PAD 0  // unused elements at the end of each row of the B tile
#endif
#ifndef GPUPROBE_SWAPPED
#define GPUPROBE_SWAPPED 0  // 1: consecutive lanes take consecutive rows
#endif
#ifndef GPUPROBE_STAGE_TRANSPOSED
#define GPUPROBE_STAGE_TRANSPOSED 0  // 1: the B tile is stored transposed
#endif
#ifndef GPUPROBE_SECOND_BARRIER
#define GPUPROBE_SECOND_BARRIER 1  // 0: leaves out the barrier that protects the tile from the next stage
#endif

// Without shared memory: 2k global loads for one element, each value read again by many threads.
__global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
#if GPUPROBE_SWAPPED
  // Consecutive lanes differ in the row. Their elements of A and C are a whole row apart, so a warp touches 32
  // sectors where 4 would hold the same values; all lanes read the same element of B.
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
#else
  // Consecutive lanes differ in the column: they read neighbours of B, and all the same element of A (a broadcast,
  // one sector).
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
#endif
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    const float left = a[row * k + i];
    const float right = b[i * n + column];
    sum += left * right;
  }
  c[row * n + column] = sum;
}

// With shared memory: the block loads a tile of A and a tile of B together, one element a thread, then every thread
// uses each loaded value GPUPROBE_TILE times. Elements outside the matrices count as zero, so any size works.
constexpr int kTile = GPUPROBE_TILE;
constexpr int kPitch = GPUPROBE_TILE + GPUPROBE_PAD;  // elements from one row of the B tile to the next

// Where element (row, column) of the B tile lies. Stored as it comes, a warp's lanes (consecutive columns) hit
// consecutive banks. Stored transposed, they are a pitch apart: with a pitch of 32 all in one bank, with 33 again
// all in different ones.
__device__ int b_index(int row, int column) {
  return GPUPROBE_STAGE_TRANSPOSED ? column * kPitch + row : row * kPitch + column;
}

__device__ void multiply_tiles(const float* a, const float* b, float* c, int m, int n, int k, float* a_tile,
                               float* b_tile) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int column = blockIdx.x * kTile + tx;
  const float* a_next = a + row * k + tx;  // what this thread loads in each stage
  const float* b_next = b + ty * n + column;
  float sum = 0.0f;
  for (int stage = 0; stage < k; stage += kTile) {
    float left = 0.0f;
    float right = 0.0f;
    if (row < m && stage + tx < k)
      left = *a_next;
    if (stage + ty < k && column < n)
      right = *b_next;
    a_next += kTile;
    b_next += kTile * n;
    a_tile[ty * kTile + tx] = left;
    b_tile[b_index(ty, tx)] = right;
    __syncthreads();  // the tiles are complete before anyone reads them
    for (int i = 0; i < kTile; ++i) {
      const float x = a_tile[ty * kTile + i];  // one element for all lanes of a row: a broadcast
      const float y = b_tile[b_index(i, tx)];
      sum += x * y;
    }
#if GPUPROBE_SECOND_BARRIER
    __syncthreads();  // everyone has read before the next stage overwrites
#endif
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// The tile sizes are known to the compiler.
__global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[kTile * kTile];
  __shared__ float b_tile[kTile * kPitch];
  multiply_tiles(a, b, c, m, n, k, a_tile, b_tile);
}

// One block of shared memory whose size the launch gives, divided by hand.
__global__ void matmul_tiled_dynamic(const float* a, const float* b, float* c, int m, int n, int k) {
  extern __shared__ float tiles[];
  multiply_tiles(a, b, c, m, n, k, tiles, tiles + kTile * kTile);
}
