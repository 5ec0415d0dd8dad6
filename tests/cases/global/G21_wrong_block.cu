// A 32x64 tile staged through shared memory (with room for a halo) by 32x8 threads, as written, and by 4x64: narrow rows
// of 4 lanes bring back the scattered global accesses and add an 8-way bank conflict, though the result is right.
/* gpuprobe
[[kernel]]
name = "stage_tile<32, 8>"
vars = { n = 2048 }
grid = ["n / 32", "n / 64"]
block = [32, 8]
args = ["in:f32[n*n] = random", "out:f32[n*n]", "n:i32 = n"]
finding = "none"
expect = ["global.load.sectors_per_request == 4", "global.store.sectors_per_request == 4",
          "shared.load.wavefronts_per_request == 1", "shared.store.wavefronts_per_request == 1"]

[[kernel]]
name = "stage_tile<4, 64>"
vars = { n = 2048 }
grid = ["n / 32", "n / 64"]
block = [4, 64]
args = ["in:f32[n*n] = random", "out:f32[n*n]", "n:i32 = n"]
finding = ["narrow-block", "bank-conflict-load", "bank-conflict-store"]
expect = ["global.load.sectors_per_request == 8", "global.store.sectors_per_request == 8",
          "shared.load.wavefronts_per_request == 8", "shared.store.wavefronts_per_request == 8"]
*/

// 72 rows: four of halo above and below the 64 that a block works on.
template <int kX, int kY>
__global__ void stage_tile(const float* in, float* out, int n) {
  __shared__ float tile[72][32];
  const int x0 = blockIdx.x * 32;
  const int y0 = blockIdx.y * 64;
  for (int y = threadIdx.y; y < 64; y += kY)
    for (int x = threadIdx.x; x < 32; x += kX) tile[y + 4][x] = in[(y0 + y) * n + x0 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 64; y += kY)
    for (int x = threadIdx.x; x < 32; x += kX) {
      const float v = tile[y + 4][x];
      out[(y0 + y) * n + x0 + x] = v;
    }
}
