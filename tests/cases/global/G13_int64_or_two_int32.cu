// One 8-byte load a lane, or two 4-byte loads from two arrays: the same bytes, both ideal. 8 is not worse than 4.
/* gpuprobe
[[kernel]]
name = "one_wide"
vars = { n = 16777216 }
grid = "n / 256"
block = 256
args = ["a:i64[n] = iota", "out:i32[n]"]
finding = "none"
expect = ["global.load.sectors_per_request == 8", "global.load.efficiency == 100"]

[[kernel]]
name = "two_narrow"
vars = { n = 16777216 }
grid = "n / 256"
block = 256
args = ["low:i32[n] = iota", "high:i32[n] = zeros", "out:i32[n]"]
finding = "none"
expect = ["global.load.sectors_per_request == 4", "global.load.efficiency == 100"]
*/

__global__ void one_wide(const long long* a, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const long long v = a[i];
  out[i] = static_cast<int>(v) ^ static_cast<int>(v >> 32);
}

__global__ void two_narrow(const int* low, const int* high, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = low[i] ^ high[i];
}
