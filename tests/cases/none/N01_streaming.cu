// y = f(x) over arrays far larger than L2. float4 quarters the requests and changes nothing: DRAM decides.
/* gpuprobe
[[kernel]]
name = "unary"
vars = { n = 67108864 }
grid = "n / 256"
block = 256
args = ["x:f32[n] = random", "y:f32[n]"]
finding = "none"
expect = ["global.load.sectors_per_request == 4", "global.store.sectors_per_request == 4", "occupancy.theoretical == 100"]

[[kernel]]
name = "unary4"
vars = { n = 67108864 }
grid = "n / 4 / 256"
block = 256
args = ["x:f32[n] = random", "y:f32[n]"]
finding = "none"
expect = ["global.load.sectors_per_request == 16", "global.store.sectors_per_request == 16", "occupancy.theoretical == 100"]
*/

__global__ void unary(const float* x, float* y) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  y[i] = x[i] * x[i] + 1.0f;
}

__global__ void unary4(const float4* x, float4* y) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float4 v = x[i];
  y[i] = make_float4(v.x * v.x + 1.0f, v.y * v.y + 1.0f, v.z * v.z + 1.0f, v.w * v.w + 1.0f);
}
