// cub::WarpReduce over a warp and over eight lanes.
/* gpuprobe
[[kernel]]
name  = "warps"
vars  = { n = 1048576 }
grid  = ["ceildiv(n, 256)"]
block = [256]
args  = ["in:f32[n] = random", "out:f32[n / 32] = zeros", "least:i32[n/8] = zeros"]
check_kernel = "warps_plain"
within = 1e-5
finding = "none"
*/
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
__global__ void warps(const float* in, float* out, int* least) {
  using Reduce = cub::WarpReduce<float>;
  using Small = cub::WarpReduce<int, 8>;
  __shared__ typename Reduce::TempStorage storage[8];
  __shared__ typename Small::TempStorage small[32];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float x = in[i];
  const float sum = Reduce(storage[threadIdx.x / 32]).Sum(x);
  const int low =
      Small(small[threadIdx.x / 8]).Reduce(int(x * 1000), [](int a, int b) { return a < b ? a : b; });
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
  if (threadIdx.x % 8 == 0) least[i / 8] = low;
}
__global__ void warps_plain(const float* in, float* out, int* least) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x % 32 == 0) {
    float s = 0;
    for (int j = 0; j < 32; ++j) s += in[i + j];
    out[i / 32] = s;
  }
  if (threadIdx.x % 8 == 0) {
    int s = 1 << 30;
    for (int j = 0; j < 8; ++j) s = min(s, int(in[i + j] * 1000));
    least[i / 8] = s;
  }
}
