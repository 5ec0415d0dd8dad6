// Transposition with four rows a thread: the loads walk a row, the stores walk a column.
// Enlarged from 1024 to 4096 so that the matrices do not fit in L2.
/* gpuprobe
[[kernel]]
name = "transpose_rows"
vars = { n = 4096 }
grid = ["n / 32", "n / 32"]
block = [32, 8]
args = ["in:f32[n*n] = random", "out:f32[n*n]", "n:i32 = n"]
finding = "uncoalesced-store"
expect = ["global.load.sectors_per_request == 4", "global.store.sectors_per_request == 32", "occupancy.theoretical == 100"]
*/

__global__ void transpose_rows(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    const float v = in[(y + j) * n + x];
    out[x * n + (y + j)] = v;
  }
}
