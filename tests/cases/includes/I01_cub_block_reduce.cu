// cub::BlockReduce: sums of blocks; only one lane of a block stores.
/* gpuprobe
[[kernel]]
name  = "block_sums"
vars  = { n = 1048576 }
grid  = ["ceildiv(n, 256)"]
block = [256]
args  = ["in:f32[n] = random", "out:f32[n / 256] = zeros"]
check_kernel = "block_sums_plain"
within = 1e-5
finding = "none"
*/
#include <cub/block/block_reduce.cuh>
__global__ void block_sums(const float* in, float* out) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(in[blockIdx.x * 256 + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void block_sums_plain(const float* in, float* out) {
  if (threadIdx.x != 0) return;
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += in[blockIdx.x * 256 + i];
  out[blockIdx.x] = sum;
}
