// out = transpose of in, for row-major matrices: in is rows x columns, out is columns x rows.
//
// Nothing is computed; all that matters is in which order the elements are touched. Each memory access stands on a
// line of its own, so that a finding's line names one access.

#ifndef GPUPROBE_ELEMENT
#define GPUPROBE_ELEMENT float  // only moved, never calculated with
#endif
#ifndef GPUPROBE_TILE
#define GPUPROBE_TILE 32  // edge of the shared tile
#endif
#ifndef GPUPROBE_PAD
#define GPUPROBE_PAD 0  // unused elements at the end of each row of the tile
#endif
#ifndef GPUPROBE_SWIZZLE
#define GPUPROBE_SWIZZLE 0  // 1: column x of row y lies at x ^ y instead of at x
#endif
#ifndef GPUPROBE_BLOCK_X
#define GPUPROBE_BLOCK_X 32
#endif
#ifndef GPUPROBE_BLOCK_Y
#define GPUPROBE_BLOCK_Y 32
#endif

using Element = GPUPROBE_ELEMENT;

// Lanes run along a row of the input: the loads are coalesced, but the stores of one warp go down a column of the
// output, each into a sector of its own.
__global__ void transpose_naive_write(const Element* in, Element* out, int rows, int columns) {
  const int x = blockIdx.x * GPUPROBE_BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * GPUPROBE_BLOCK_Y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  const Element value = in[(size_t)y * columns + x];
  out[(size_t)x * rows + y] = value;
}

// The mirror image: lanes run along a row of the output, and the loads go down a column of the input.
__global__ void transpose_naive_read(const Element* in, Element* out, int rows, int columns) {
  const int x = blockIdx.x * GPUPROBE_BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * GPUPROBE_BLOCK_Y + threadIdx.y;
  if (x >= rows || y >= columns) return;
  const Element value = in[(size_t)x * columns + y];
  out[(size_t)y * rows + x] = value;
}

constexpr int kTile = GPUPROBE_TILE;
constexpr int kPitch = GPUPROBE_TILE + GPUPROBE_PAD;  // elements from one row of the tile to the next

// Where column x of row y lies in the tile. A warp writes one row (y fixed) and later reads one column (x fixed).
// With a pitch of 32 four-byte elements the whole column lies in one bank. One element of padding moves each row on
// by a bank; the exclusive or permutes each row differently and needs no extra memory.
__device__ int tile_index(int y, int x) { return y * kPitch + (GPUPROBE_SWIZZLE ? x ^ y : x); }

// Both global accesses run along rows; the turn happens in shared memory. A block smaller than the tile goes over it
// in steps.
__global__ void transpose_tiled(const Element* in, Element* out, int rows, int columns) {
  __shared__ Element tile[kTile * kPitch];
  for (int step_y = 0; step_y < kTile; step_y += GPUPROBE_BLOCK_Y) {
    for (int step_x = 0; step_x < kTile; step_x += GPUPROBE_BLOCK_X) {
      const int tx = step_x + threadIdx.x;
      const int ty = step_y + threadIdx.y;
      const int x = blockIdx.x * kTile + tx;
      const int y = blockIdx.y * kTile + ty;
      if (kTile % GPUPROBE_BLOCK_X != 0 && tx >= kTile) continue;
      if (kTile % GPUPROBE_BLOCK_Y != 0 && ty >= kTile) continue;
      if (x < columns && y < rows) {
        const Element value = in[(size_t)y * columns + x];
        tile[tile_index(ty, tx)] = value;
      }
    }
  }
  __syncthreads();
  for (int step_y = 0; step_y < kTile; step_y += GPUPROBE_BLOCK_Y) {
    for (int step_x = 0; step_x < kTile; step_x += GPUPROBE_BLOCK_X) {
      const int tx = step_x + threadIdx.x;
      const int ty = step_y + threadIdx.y;
      const int x = blockIdx.y * kTile + tx;  // the tile's own place is turned as well
      const int y = blockIdx.x * kTile + ty;
      if (kTile % GPUPROBE_BLOCK_X != 0 && tx >= kTile) continue;
      if (kTile % GPUPROBE_BLOCK_Y != 0 && ty >= kTile) continue;
      if (x < rows && y < columns) {
        const Element value = tile[tile_index(tx, ty)];
        out[(size_t)y * rows + x] = value;
      }
    }
  }
}
