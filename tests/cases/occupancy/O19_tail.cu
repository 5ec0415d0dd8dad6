// One block per SM (114 KiB of shared memory): 132 blocks are one wave, 133 are two, the second nearly empty.
/* gpuprobe
[[kernel]]
name = "steps"
vars = { blocks = 132, rounds = 2000 }
grid = "blocks"
block = 256
shared = 116736
args = ["out:f32[blocks * 256]", "rounds:i32 = rounds"]
arch = ["sm_90"]
finding = "none"
also = ["occupancy-shared"]
expect = ["occupancy.theoretical == 12.5", "launch.waves == 1"]

[[kernel]]
name = "steps"
vars = { blocks = 133, rounds = 2000 }
grid = "blocks"
block = 256
shared = 116736
args = ["out:f32[blocks * 256]", "rounds:i32 = rounds"]
arch = ["sm_90"]
finding = "tail"
also = ["occupancy-shared"]
expect = ["occupancy.theoretical == 12.5"]
*/

__global__ void steps(float* out, int rounds) {
  extern __shared__ float cell[];
  const int t = threadIdx.x;
  cell[t] = t;
  float v = 0.0f;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) v = fmaf(v, 0.5f, cell[t]);
  out[blockIdx.x * 256 + t] = v;
}
