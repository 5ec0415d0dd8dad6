// Five-point stencil with a shared tile of 34x34 words: the halo column is read by few lanes.
/* gpuprobe
[[kernel]]
name = "stencil"
vars = { n = 512 }
grid = ["n / 32", "n / 32"]
block = [32, 32]
args = ["in:f32[n*n] = random", "out:f32[n*n]", "n:i32 = n"]
check_kernel = "reference"
within = 1e-6
*/

__device__ float at(const float* in, int n, int x, int y) {
  x = min(max(x, 0), n - 1);
  y = min(max(y, 0), n - 1);
  return in[y * n + x];
}

__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float tile[34][34];
  const int x0 = blockIdx.x * 32 - 1;
  const int y0 = blockIdx.y * 32 - 1;
  for (int y = threadIdx.y; y < 34; y += 32)
    for (int x = threadIdx.x; x < 34; x += 32) tile[y][x] = at(in, n, x0 + x, y0 + y);
  __syncthreads();
  const int x = threadIdx.x + 1;
  const int y = threadIdx.y + 1;
  const float sum = tile[y][x] + tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x];
  out[(y0 + y) * n + x0 + x] = 0.2f * sum;
}

__global__ void reference(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  const float sum = at(in, n, x, y) + at(in, n, x - 1, y) + at(in, n, x + 1, y) + at(in, n, x, y - 1) + at(in, n, x, y + 1);
  out[y * n + x] = 0.2f * sum;
}
