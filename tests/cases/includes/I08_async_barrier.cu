// cooperative_groups::memcpy_async and cuda::barrier: asynchronous copies and arrivals at an mbarrier.
/* gpuprobe
[[kernel]]
name  = "staged"
vars  = { n = 1048576 }
grid  = ["ceildiv(n, 1024)"]
block = [256]
args  = ["in:f32[n] = random", "out:f32[n] = zeros"]
check_kernel = "staged_plain"
finding = "none"
*/
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
__global__ void staged(const float* in, float* out) {
  __shared__ float tile[1024];
  __shared__ float tile2[1024];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * 1024, sizeof(tile));
  cg::wait(block);
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  block.sync();
  for (int k = threadIdx.x; k < 1024; k += 256) tile2[k] = in[blockIdx.x * 1024 + k];
  bar.arrive_and_wait();
  for (int k = threadIdx.x; k < 1024; k += 256) out[blockIdx.x * 1024 + k] = tile[1023 - k] + tile2[k];
}
__global__ void staged_plain(const float* in, float* out) {
  for (int k = threadIdx.x; k < 1024; k += 256)
    out[blockIdx.x * 1024 + k] = in[blockIdx.x * 1024 + 1023 - k] + in[blockIdx.x * 1024 + k];
}
