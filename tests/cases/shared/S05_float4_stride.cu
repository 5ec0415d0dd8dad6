// 16-byte shared loads: 4 wavefronts are ideal. Eight float4 apart all lanes of a phase meet in four banks: 32.
/* gpuprobe
[[kernel]]
name = "strided<8>"
vars = { threads = 33792 }
grid = "threads / 128"
block = 128
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 32", "shared.load.conflict_degree == 8"]

[[kernel]]
name = "strided<2>"
vars = { threads = 33792 }
grid = "threads / 128"
block = 128
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "bank-conflict-load"
expect = ["shared.load.wavefronts_per_request == 8", "shared.load.conflict_degree == 2"]

[[kernel]]
name = "strided<1>"
vars = { threads = 33792 }
grid = "threads / 128"
block = 128
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 4"]

[[kernel]]
name = "strided<3>"
vars = { threads = 33792 }
grid = "threads / 128"
block = 128
args = ["out:f32[threads]", "rounds:i32 = 64"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 4"]
*/

// The load is written in PTX so that its width cannot change.
__device__ float4 load_shared(unsigned address) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(address));
  return v;
}

template <int kStride>
__global__ void strided(float* out, int rounds) {
  __shared__ float4 words[32 * kStride];
  for (int i = threadIdx.x; i < 32 * kStride; i += blockDim.x) words[i] = make_float4(i, 1, 2, 3);
  __syncthreads();
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(words));
  const unsigned address = base + (threadIdx.x % 32) * kStride * 16;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const float4 v = load_shared(address);
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
