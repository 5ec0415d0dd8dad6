// out = mean over a star: the element itself and GPUPROBE_HALO neighbours in each of four directions, zero beyond the
// edges of the image. The block stages a tile and its surroundings in shared memory, so each element is loaded about
// once and used 4 * halo + 1 times.
//
// Memory comes in sectors of 8 floats, so the tile takes 8 columns on either side, whatever the halo: with exactly
// `halo` columns the loads would begin inside a sector, and touch one more than they need.

#ifndef GPUPROBE_TILE
#define GPUPROBE_TILE 32  // edge of the tile of results, a multiple of the 32 lanes
#endif
#ifndef GPUPROBE_HALO
#define GPUPROBE_HALO 1  // neighbours in each direction, at most 8
#endif

constexpr int kTile = GPUPROBE_TILE;
constexpr int kHalo = GPUPROBE_HALO;
constexpr int kSide = 8;                    // columns staged on either side: one sector
constexpr int kPitch = kTile + 2 * kSide;   // staged columns
constexpr int kRows = kTile + 2 * kHalo;    // staged rows
constexpr int kBlockX = 32;
constexpr int kBlockY = 8;

__global__ void stencil(const float* in, float* out, int width, int height) {
  __shared__ float tile[kRows * kPitch];
  const int left = blockIdx.x * kTile - kSide;  // the image column of the tile's first one
  const int top = blockIdx.y * kTile - kHalo;
  for (int i = threadIdx.y * kBlockX + threadIdx.x; i < kRows * kPitch; i += kBlockX * kBlockY) {
    const int x = left + i % kPitch;
    const int y = top + i / kPitch;
    float value = 0.0f;
    if (x >= 0 && x < width && y >= 0 && y < height)
      value = in[(size_t)y * width + x];
    tile[i] = value;
  }
  __syncthreads();
  for (int ty = threadIdx.y; ty < kTile; ty += kBlockY) {
    for (int tx = threadIdx.x; tx < kTile; tx += kBlockX) {
      const int centre = (ty + kHalo) * kPitch + tx + kSide;
      float sum = tile[centre];
#pragma unroll
      for (int d = 1; d <= kHalo; ++d) {
        sum += tile[centre - d];
        sum += tile[centre + d];
        sum += tile[centre - d * kPitch];
        sum += tile[centre + d * kPitch];
      }
      const int x = blockIdx.x * kTile + tx;
      const int y = blockIdx.y * kTile + ty;
      if (x < width && y < height)
        out[(size_t)y * width + x] = sum * (1.0f / (4 * kHalo + 1));
    }
  }
}
