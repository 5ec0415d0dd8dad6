// Columns of a tile of doubles. 8-byte accesses take two phases, so 2 wavefronts are ideal; a pitch of 33 reaches it,
// 34 is a 2-way conflict again.
/* gpuprobe
[[kernel]]
name = "columns<32>"
grid = 528
block = 256
args = ["out:f64[grid_threads] = zeros", "rounds:i32 = 64"]
vars = { grid_threads = 135168 }
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 32"]

[[kernel]]
name = "columns<33>"
vars = { grid_threads = 135168 }
grid = 528
block = 256
args = ["out:f64[grid_threads] = zeros", "rounds:i32 = 64"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 2", "shared.load.conflict_degree == 1"]

[[kernel]]
name = "columns<34>"
vars = { grid_threads = 135168 }
grid = 528
block = 256
args = ["out:f64[grid_threads] = zeros", "rounds:i32 = 64"]
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 4", "shared.load.conflict_degree == 2"]
*/

template <int kPitch>
__global__ void columns(double* out, int rounds) {
  __shared__ double tile[32 * kPitch];
  for (int i = threadIdx.x; i < 32 * kPitch; i += blockDim.x) tile[i] = i;
  __syncthreads();
  const volatile double* column = tile;
  const int lane = threadIdx.x % 32;
  double sum = 0;
  for (int r = 0; r < rounds; ++r) sum += column[lane * kPitch + (r + threadIdx.x / 32) % 32];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
