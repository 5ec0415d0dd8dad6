// a*x + y with float4, lanes along a row or down a column. Wide accesses do not make a column walk coalesced:
// half of each 32-byte sector is used.
/* gpuprobe
[[kernel]]
name = "along_row"
vars = { n = 4096 }
grid = "n * n / 4 / 256"
block = 256
args = ["x:f32[n*n] = random", "y:f32[n*n] = random", "n:i32 = n"]
finding = "none"
expect = ["global.load.sectors_per_request == 16", "global.load.efficiency == 100"]

[[kernel]]
name = "down_column"
vars = { n = 4096 }
grid = "n * n / 4 / 256"
block = 256
args = ["x:f32[n*n] = random", "y:f32[n*n] = random", "n:i32 = n"]
finding = ["uncoalesced-load", "uncoalesced-store"]
expect = ["global.load.sectors_per_request == 32", "global.load.ideal_sectors_per_request == 16"]
*/

__device__ float4 axpy(float4 x, float4 y) {
  return make_float4(2.0f * x.x + y.x, 2.0f * x.y + y.y, 2.0f * x.z + y.z, 2.0f * x.w + y.w);
}

__global__ void along_row(float4* x, const float4* y, int n) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  x[i] = axpy(x[i], y[i]);
}

__global__ void down_column(float4* x, const float4* y, int n) {
  const size_t t = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t i = (t % n) * (n / 4) + t / n;
  x[i] = axpy(x[i], y[i]);
}
