// 16x16 pieces by 256 threads in one row: the array is declared with padding but indexed without it (8-way on loads).
// Using the padding leaves a 2-way conflict on both sides; a pitch of 18 moves it to the stores alone.
/* gpuprobe
[[kernel]]
name = "piece<16>"
vars = { pieces = 65536 }
grid = "pieces"
block = 256
args = ["in:f32[pieces * 256] = random", "out:f32[pieces * 256]"]
finding = "bank-conflict-load"
expect = ["shared.store.wavefronts_per_request == 1", "shared.load.wavefronts_per_request == 8"]

[[kernel]]
name = "piece<17>"
vars = { pieces = 65536 }
grid = "pieces"
block = 256
args = ["in:f32[pieces * 256] = random", "out:f32[pieces * 256]"]
also = ["bank-conflict-load", "bank-conflict-store"]
expect = ["shared.store.wavefronts_per_request == 2", "shared.load.wavefronts_per_request == 2"]

[[kernel]]
name = "piece<18>"
vars = { pieces = 65536 }
grid = "pieces"
block = 256
args = ["in:f32[pieces * 256] = random", "out:f32[pieces * 256]"]
also = ["bank-conflict-store"]
expect = ["shared.store.wavefronts_per_request == 2", "shared.load.wavefronts_per_request == 1"]
*/

template <int kPitch>
__global__ void piece(const float* in, float* out) {
  __shared__ float d[16 * 18];
  const int r = threadIdx.x / 16;
  const int c = threadIdx.x % 16;
  d[r * kPitch + c] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  const float v = d[c * kPitch + r];
  out[blockIdx.x * 256 + threadIdx.x] = v;
}
