// Sum by warp shuffles: each warp adds 32 values without shared memory, one partial a warp.
/* gpuprobe
[[kernel]]
name = "warp_sums"
vars = { n = 262144 }
grid = "n / 256"
block = 256
args = ["in:i32[n] = random(-100, 100)", "out:i32[n / 32]"]
check_kernel = "reference"
finding = "none"
expect = ["global.load.sectors_per_request == 4", "global.load.requests == 8192"]
*/

__global__ void warp_sums(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

__global__ void reference(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 32 != 0) return;
  int sum = 0;
  for (int j = 0; j < 32; ++j) sum += in[i + j];
  out[i / 32] = sum;
}
