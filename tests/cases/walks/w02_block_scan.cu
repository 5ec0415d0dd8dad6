// Inclusive prefix sum of a block: warp scans by shuffle, then the warp totals through shared memory.
/* gpuprobe
[[kernel]]
name = "scan"
vars = { n = 262144 }
grid = "n / 256"
block = 256
args = ["in:i32[n] = random(-100, 100)", "out:i32[n]"]
check_kernel = "reference"
finding = "none"
expect = ["global.load.sectors_per_request == 4", "global.store.sectors_per_request == 4"]
*/

__global__ void scan(const int* in, int* out) {
  __shared__ int totals[8];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int i = blockIdx.x * 256 + threadIdx.x;
  int v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const int below = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += below;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; ++w) v += totals[w];
  out[i] = v;
}

__global__ void reference(const int* in, int* out) {
  const int first = blockIdx.x * 256;
  int sum = 0;
  for (int j = 0; j <= threadIdx.x; ++j) sum += in[first + j];
  out[first + threadIdx.x] = sum;
}
