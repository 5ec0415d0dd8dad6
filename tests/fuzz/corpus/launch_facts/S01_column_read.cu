// Transposition through a 32x32 tile: without padding a column is one bank, with 33 words a row it is all of them.
/* gpuprobe
[[kernel]]
name = "tile_transpose<32>"
vars = { n = 2048 }
grid = ["n / 32", "n / 32"]
block = [32, 8]
args = ["in:f32[n*n] = random", "out:f32[n*n]", "n:i32 = n"]
finding = "bank-conflict-load"
expect = ["shared.store.wavefronts_per_request == 1", "shared.load.wavefronts_per_request == 32",
          "global.load.sectors_per_request == 4", "global.store.sectors_per_request == 4"]

[[kernel]]
name = "tile_transpose<33>"
vars = { n = 2048 }
grid = ["n / 32", "n / 32"]
block = [32, 8]
args = ["in:f32[n*n] = random", "out:f32[n*n]", "n:i32 = n"]
finding = "none"
expect = ["shared.store.wavefronts_per_request == 1", "shared.load.wavefronts_per_request == 1"]
*/

template <int kPitch>
__global__ void tile_transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][kPitch];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x;
  const int ty = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    const float v = tile[threadIdx.x][threadIdx.y + j];
    out[(ty + j) * n + tx] = v;
  }
}
