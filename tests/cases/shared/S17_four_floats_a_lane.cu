// Four neighbouring floats a lane, as four 4-byte loads (4-way conflict each) or one 16-byte load (4 wavefronts, its
// ideal). The same wavefronts a request, opposite verdicts.
/* gpuprobe
[[kernel]]
name = "scalar"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 4", "shared.load.conflict_degree == 4"]

[[kernel]]
name = "vector"
vars = { threads = 135168 }
grid = "threads / 256"
block = 256
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 4", "shared.load.conflict_degree == 1"]
*/

__device__ void fill(float* words) {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = i;
  __syncthreads();
}

__global__ void scalar(float* out, int rounds) {
  __shared__ float words[1024];
  fill(words);
  const volatile float* p = words + threadIdx.x * 4;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += p[0] + p[1] + p[2] + p[3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void vector(float* out, int rounds) {
  __shared__ __align__(16) float words[1024];
  fill(words);
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(words)) + threadIdx.x * 16;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    float x, y, z, w;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(address));
    sum += x + y + z + w;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
