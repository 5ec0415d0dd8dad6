// Tiled products with tiles of 8, 16 and 32: A is a broadcast, B a multicast, nothing conflicts. Staging A transposed
// makes the stores of a 16-wide tile conflict 8-way.
/* gpuprobe
[[kernel]]
name = "tiled<8, false>"
vars = { n = 512 }
grid = ["n / 8", "n / 8"]
block = [8, 8]
args = ["a:f32[n*n] = random", "b:f32[n*n] = random", "c:f32[n*n]", "n:i32 = n"]
options = ["--maxrregcount=32"]
finding = "none"
expect = ["global.load.sectors_per_request == 4", "shared.store.wavefronts_per_request == 1",
          "shared.load.conflict_degree == 1", "occupancy.theoretical == 100"]

[[kernel]]
name = "tiled<16, false>"
vars = { n = 512 }
grid = ["n / 16", "n / 16"]
block = [16, 16]
args = ["a:f32[n*n] = random", "b:f32[n*n] = random", "c:f32[n*n]", "n:i32 = n"]
options = ["--maxrregcount=32"]
finding = "none"
expect = ["global.load.sectors_per_request == 4", "shared.store.wavefronts_per_request == 1",
          "shared.load.conflict_degree == 1", "occupancy.theoretical == 100"]

[[kernel]]
name = "tiled<32, false>"
vars = { n = 512 }
grid = ["n / 32", "n / 32"]
block = [32, 32]
args = ["a:f32[n*n] = random", "b:f32[n*n] = random", "c:f32[n*n]", "n:i32 = n"]
options = ["--maxrregcount=32"]
finding = "none"
expect = ["global.load.sectors_per_request == 4", "shared.store.wavefronts_per_request == 1",
          "shared.load.conflict_degree == 1", "occupancy.theoretical == 100"]

[[kernel]]
name = "tiled<16, true>"
vars = { n = 512 }
grid = ["n / 16", "n / 16"]
block = [16, 16]
args = ["a:f32[n*n] = random", "b:f32[n*n] = random", "c:f32[n*n]", "n:i32 = n"]
options = ["--maxrregcount=32"]
also = ["bank-conflict-store"]
expect = ["shared.store.wavefronts_per_request == 4.5"]
*/

template <int kTile, bool kTransposed>
__global__ void tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[kTile][kTile];
  __shared__ float bs[kTile][kTile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * kTile + y;
  const int col = blockIdx.x * kTile + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += kTile) {
    const float u = a[row * n + k0 + x];
    if (kTransposed)
      as[x][y] = u;
    else
      as[y][x] = u;
    bs[y][x] = b[(k0 + y) * n + col];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += (kTransposed ? as[k][y] : as[y][k]) * bs[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
