// Two-stage pipeline with cp.async: the next tile travels while the present one is used.
/* gpuprobe
[[kernel]]
name = "pipeline"
vars = { tiles = 64 }
grid = 264
block = 128
args = ["in:f32[264 * tiles * 512] = random", "out:f32[264 * 128]", "tiles:i32 = tiles"]
arch = ["sm_80", "sm_90"]
check_kernel = "reference"
within = 1e-4
*/

__device__ void fetch(float4* to, const float4* from) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void pipeline(const float4* in, float* out, int tiles) {
  __shared__ float4 stage[2][128];
  const int t = threadIdx.x;
  const float4* mine = in + static_cast<size_t>(blockIdx.x) * tiles * 128;
  fetch(&stage[0][t], mine + t);
  float sum = 0.0f;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) {
      fetch(&stage[(i + 1) % 2][t], mine + (i + 1) * 128 + t);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    const float4 v = stage[i % 2][127 - t];
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

__global__ void reference(const float4* in, float* out, int tiles) {
  const float4* mine = in + static_cast<size_t>(blockIdx.x) * tiles * 128;
  float sum = 0.0f;
  for (int i = 0; i < tiles; ++i) {
    const float4 v = mine[i * 128 + 127 - threadIdx.x];
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
