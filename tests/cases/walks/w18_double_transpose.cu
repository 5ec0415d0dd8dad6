// Transposition of doubles through a padded tile: two wavefronts a request are the ideal of 8-byte accesses.
/* gpuprobe
[[kernel]]
name = "transpose"
vars = { n = 512 }
grid = ["n / 32", "n / 32"]
block = [32, 8]
args = ["in:f64[n*n] = random", "out:f64[n*n]", "n:i32 = n"]
check_kernel = "reference"
finding = "none"
expect = ["shared.load.wavefronts_per_request == 2", "shared.store.wavefronts_per_request == 2",
          "global.load.sectors_per_request == 8", "global.store.sectors_per_request == 8"]
*/

__global__ void transpose(const double* in, double* out, int n) {
  __shared__ double tile[32][33];
  const int x = blockIdx.x * 32;
  const int y = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = in[(y + j) * n + x + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    const double v = tile[threadIdx.x][j];
    out[(x + j) * n + y + threadIdx.x] = v;
  }
}

__global__ void reference(const double* in, double* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    const int y = blockIdx.y * 32 + j;
    out[x * n + y] = in[y * n + x];
  }
}
