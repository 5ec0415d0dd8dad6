// Blocks of 32 threads: the SM holds 32 blocks, so 32 of 64 warps. 4x4 threads fill half a warp as well. 8x8 is fine.
/* gpuprobe
[[kernel]]
name = "scale"
vars = { n = 16777216 }
grid = "n / 32"
block = 32
args = ["a:f32[n] = random"]
finding = "none"
also = ["occupancy-block-size"]
expect = ["occupancy.blocks_per_sm == 32", "occupancy.theoretical == 50", "occupancy.blocks_per_sm.blocks == 32"]

[[kernel]]
name = "scale"
vars = { n = 16777216 }
grid = "n / 64"
block = [8, 8]
args = ["a:f32[n] = random"]
finding = "none"
expect = ["occupancy.blocks_per_sm == 32", "occupancy.theoretical == 100"]

[[kernel]]
name = "scale"
vars = { n = 16777152 }
grid = "n / 96"
block = 96
args = ["a:f32[n] = random"]
finding = "none"
expect = ["occupancy.blocks_per_sm == 21", "occupancy.theoretical == 98.4375"]

[[kernel]]
name = "scale"
vars = { n = 1048576 }
grid = "n / 16"
block = [4, 4]
args = ["a:f32[n] = random"]
finding = ["partial-warps", "occupancy-block-size"]
expect = ["occupancy.theoretical == 50"]
*/

__global__ void scale(float* a) {
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.x) * (blockDim.x * blockDim.y) + t;
  a[i] = a[i] * 2.0f;
}
