// cuda::std containers and cuda::atomic_ref; 16 counters for a million elements contend.
/* gpuprobe
[[kernel]]
name  = "bins"
vars  = { n = 1048576 }
grid  = ["ceildiv(n, 256)"]
block = [256]
args  = ["in:i32[n] = random(0,1000)", "out:i32[16] = zeros", "sums:i32[n] = zeros"]
check_kernel = "bins_plain"
finding = "atomic-contention"
*/
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
__global__ void bins(const int* in, int* out, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::std::array<int, 4> a{in[i], 1, 2, 3};
  cuda::atomic_ref<int, cuda::thread_scope_device> bin(out[a[0] % 16]);
  bin.fetch_add(1, cuda::memory_order_relaxed);
  cuda::std::span<int> view(a.data(), a.size());
  int s = 0;
  for (int v : view) s += v;
  auto [lo, hi] = cuda::std::make_pair(cuda::std::min(s, 500), cuda::std::max(s, 500));
  cuda::std::optional<int> maybe;
  if (s > 300) maybe = hi - lo;
  sums[i] = maybe.value_or(-1);
}
__global__ void bins_plain(const int* in, int* out, int* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out + in[i] % 16, 1);
  const int s = in[i] + 6;
  sums[i] = s > 300 ? max(s, 500) - min(s, 500) : -1;
}
