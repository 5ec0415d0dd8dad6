// A 16-wide block over a tile with pitch 17: the two half-warps wrap onto each other by one lane, 2-way on both
// sides. No pitch cures both for this block shape; 32-wide rows do.
/* gpuprobe
[[kernel]]
name = "transpose16<17>"
vars = { n = 2048 }
grid = ["n / 16", "n / 16"]
block = [16, 16]
args = ["in:f32[n*n] = random", "out:f32[n*n]", "n:i32 = n"]
finding = "bank-conflict-load"
also = ["bank-conflict-store"]
expect = ["shared.store.wavefronts_per_request == 2", "shared.load.wavefronts_per_request == 2",
          "global.load.sectors_per_request == 4", "global.store.sectors_per_request == 4"]

[[kernel]]
name = "transpose16<16>"
vars = { n = 2048 }
grid = ["n / 16", "n / 16"]
block = [16, 16]
args = ["in:f32[n*n] = random", "out:f32[n*n]", "n:i32 = n"]
finding = "bank-conflict-load"
expect = ["shared.store.wavefronts_per_request == 1", "shared.load.wavefronts_per_request == 8"]
*/

template <int kPitch>
__global__ void transpose16(const float* in, float* out, int n) {
  __shared__ float tile[16 * kPitch];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[x + y * kPitch] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
  __syncthreads();
  const float v = tile[y + x * kPitch];
  out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = v;
}
