// Structs in shared memory, one a lane: three floats never conflict (3 is odd), two floats read one by one do,
// two floats read at once do not.
/* gpuprobe
[[kernel]]
name = "three"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 1"]

[[kernel]]
name = "two_scalars"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 2", "shared.load.conflict_degree == 2"]

[[kernel]]
name = "two_at_once"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 2", "shared.load.conflict_degree == 1"]
*/

template <int kWords>
__device__ float* fill() {
  __shared__ __align__(16) float words[256 * kWords];
  for (int i = threadIdx.x; i < 256 * kWords; i += blockDim.x) words[i] = i;
  __syncthreads();
  return words;
}

__global__ void three(float* out, int rounds) {
  const volatile float* p = fill<3>() + threadIdx.x * 3;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += p[0] + p[1] + p[2];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void two_scalars(float* out, int rounds) {
  const volatile float* p = fill<2>() + threadIdx.x * 2;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += p[0] + p[1];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void two_at_once(float* out, int rounds) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(fill<2>())) + threadIdx.x * 8;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    float x, y;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "r"(address));
    sum += x + y;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
