// 2000 elements in 4 blocks of 512: one warp has no work at all, one has half. Nothing is wrong with the accesses;
// four blocks cannot fill a GPU.
/* gpuprobe
[[kernel]]
name = "add"
vars = { n = 2000 }
grid = "ceildiv(n, 512)"
block = 512
args = ["a:f32[n] = random", "b:f32[n] = random", "c:f32[n]", "n:i32 = n"]
finding = "grid-too-small"
expect = ["global.load.requests == 126", "global.store.requests == 63", "global.store.sectors == 250"]
*/

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
