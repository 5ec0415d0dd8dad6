// Cooperative groups: tiles of 16 threads reduce and scan, each with a member mask of its own.
/* gpuprobe
[[kernel]]
name  = "tiles"
vars  = { n = 1048576 }
grid  = ["ceildiv(n, 256)"]
block = [256]
args  = ["in:i32[n] = random(0,1000)", "out:i32[n] = zeros"]
check_kernel = "tiles_plain"
finding = "none"
*/
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void tiles(const int* in, int* out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  const int i = blockIdx.x * blockDim.x + block.thread_rank();
  const int x = in[i];
  const int sum = cg::reduce(tile, x, cg::plus<int>());
  const int most = cg::reduce(tile, x, cg::greater<int>());
  const int before = cg::exclusive_scan(tile, x);
  block.sync();
  auto active = cg::coalesced_threads();
  int odd = 0;
  if (x & 1) {
    auto g = cg::coalesced_threads();
    odd = g.size();
  }
  out[i] = sum + most * 7 + before * 3 + odd * 100000 + active.size();
}
__global__ void tiles_plain(const int* in, int* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  int sum = 0, most = 0, before = 0, odd = 0;
  for (int j = i / 16 * 16; j < i / 16 * 16 + 16; ++j) {
    sum += in[j];
    most = max(most, in[j]);
    before += j < i ? in[j] : 0;
  }
  for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) odd += in[j] & 1;
  out[i] = sum + most * 7 + before * 3 + (in[i] & 1 ? odd : 0) * 100000 + 32;
}
