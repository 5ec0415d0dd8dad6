// 32 KiB of shared memory and 256 threads. On sm_90 shared memory allows 6 blocks, so the register count decides:
// fewer registers would help there, although shared memory was the limit on a smaller GPU.
/* gpuprobe
[[kernel]]
name = "staged<40>"
vars = { blocks = 6600 }
grid = "blocks"
block = 256
shared = 32768
args = ["in:f32[8192] = random", "out:f32[blocks * 256]", "rounds:i32 = 32"]
arch = ["sm_90"]
finding = "none"
also = ["occupancy-registers"]
expect = ["occupancy.blocks_per_sm.shared == 6", "occupancy.blocks_per_sm == 5", "occupancy.theoretical == 62.5"]

[[kernel]]
name = "staged<72>"
vars = { blocks = 6600 }
grid = "blocks"
block = 256
shared = 32768
args = ["in:f32[8192] = random", "out:f32[blocks * 256]", "rounds:i32 = 32"]
arch = ["sm_90"]
finding = "none"
also = ["occupancy-registers"]
expect = ["occupancy.blocks_per_sm.shared == 6", "occupancy.blocks_per_sm == 3", "occupancy.theoretical == 37.5"]
*/

template <int kLive>
__global__ void __launch_bounds__(256) staged(const float* in, float* out, int rounds) {
  extern __shared__ float cache[];
  const int t = threadIdx.x;
  for (int i = t; i < 8192; i += 256) cache[i] = in[i];
  __syncthreads();
  float v[kLive];
#pragma unroll
  for (int i = 0; i < kLive; ++i) v[i] = cache[i * 32 + t % 32];
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < kLive; ++i) v[i] = fmaf(v[i], 0.5f, v[(i + 1) % kLive]);
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kLive; ++i) sum += v[i];
  out[blockIdx.x * 256 + t] = sum;
}
