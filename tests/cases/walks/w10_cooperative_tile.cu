// Cooperative groups: tiles of 16 threads reduce by themselves.
/* gpuprobe
[[kernel]]
name = "tile_sums"
vars = { n = 262144 }
grid = "n / 256"
block = 256
args = ["in:i32[n] = random(-100, 100)", "out:i32[n / 16]"]
check_kernel = "reference"
finding = "none"
*/

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tile_sums(const int* in, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = in[i];
  for (int d = tile.size() / 2; d > 0; d /= 2) sum += tile.shfl_down(sum, d);
  if (tile.thread_rank() == 0) out[i / 16] = sum;
}

__global__ void reference(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 16 != 0) return;
  int sum = 0;
  for (int j = 0; j < 16; ++j) sum += in[i + j];
  out[i / 16] = sum;
}
