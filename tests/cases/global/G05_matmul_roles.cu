// Matrix product, one thread an element. Which of the two block coordinates selects the row decides everything:
// with the row from threadIdx.x neighbouring lanes are a whole matrix row apart.
/* gpuprobe
[[kernel]]
name = "row_from_x"
vars = { n = 512 }
grid = ["n / 32", "n / 32"]
block = [32, 32]
args = ["a:f32[n*n] = random", "b:f32[n*n] = random", "c:f32[n*n]", "n:i32 = n"]
options = ["--maxrregcount=32"]
finding = ["uncoalesced-load"]
also = ["uncoalesced-store"]
expect = ["global.load.sectors_per_request == 16.5", "global.store.sectors_per_request == 32"]

[[kernel]]
name = "row_from_quotient"
vars = { n = 512 }
grid = ["n / 32", "n / 32"]
block = [1024]
args = ["a:f32[n*n] = random", "b:f32[n*n] = random", "c:f32[n*n]", "n:i32 = n"]
options = ["--maxrregcount=32"]
finding = "none"
expect = ["global.load.sectors_per_request == 2.5", "global.store.sectors_per_request == 4", "occupancy.theoretical == 100"]
*/

__global__ void row_from_x(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * 32 + threadIdx.x;
  const int col = blockIdx.y * 32 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) {
    const float u = a[row * n + k];
    const float v = b[k * n + col];
    sum += u * v;
  }
  c[row * n + col] = sum;
}

__global__ void row_from_quotient(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * 32 + threadIdx.x / 32;
  const int col = blockIdx.y * 32 + threadIdx.x % 32;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) {
    const float u = a[row * n + k];
    const float v = b[k * n + col];
    sum += u * v;
  }
  c[row * n + col] = sum;
}
