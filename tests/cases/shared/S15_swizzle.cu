// Columns of a 32-word-wide tile with the column index XORed with part of the row: 5 bits cure the conflict, 3 leave
// 4-way, 2 leave 8-way.
/* gpuprobe
[[kernel]]
name = "swizzled<31>"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 1"]

[[kernel]]
name = "swizzled<7>"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 4"]

[[kernel]]
name = "swizzled<3>"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 8"]

[[kernel]]
name = "swizzled<0>"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 32"]
*/

template <int kMask>
__global__ void swizzled(float* out, int rounds) {
  __shared__ float tile[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) tile[i] = i;
  __syncthreads();
  const volatile float* words = tile;
  const int row = threadIdx.x % 32;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const int col = (r + threadIdx.x / 32) % 32;
    sum += words[row * 32 + (col ^ (row & kMask))];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
