// out[i] = in[i * s]: counters do not depend on what a first launch costs, so "strided is faster" cannot happen here.
/* gpuprobe
[[kernel]]
name = "strided_copy"
vars = { n = 4194304, s = 2 }
grid = "n / 256"
block = 256
args = ["in:f32[n * s] = random", "out:f32[n]", "s:i32 = s"]
finding = "uncoalesced-load"
expect = ["global.load.sectors_per_request == 8", "global.store.sectors_per_request == 4"]

[[kernel]]
name = "strided_copy"
vars = { n = 4194304, s = 32 }
grid = "n / 256"
block = 256
args = ["in:f32[n * s] = random", "out:f32[n]", "s:i32 = s"]
finding = "uncoalesced-load"
expect = ["global.load.sectors_per_request == 32", "global.store.sectors_per_request == 4"]
*/

__global__ void strided_copy(const float* in, float* out, int s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[static_cast<size_t>(i) * s];
}
