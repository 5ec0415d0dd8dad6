// A 128x128 register-tiled product stages A transposed with scalar stores: pairs of lanes meet in one bank, 2-way.
// Staging B as float4 conflicts on its loads; scattering B cures the loads and moves the conflict to its stores.
// Only the staging of one tile and its reads are kept here; widths are pinned with volatile and PTX.
// With B scattered, nvcc 13.0 takes 47 registers: 62.5 % occupancy heads the report, predicted and measured (H200).
/* gpuprobe
[[kernel]]
name = "stage_plain"
grid = 1024
block = 256
vars = { k = 512 }
args = ["a:f32[128 * k] = random", "b:f32[k * 128] = random", "out:f32[1024 * 256]", "k:i32 = k"]
finding = "bank-conflict-load"
also = ["bank-conflict-store"]

[[kernel]]
name = "stage_scattered"
grid = 1024
block = 256
vars = { k = 512 }
args = ["a:f32[128 * k] = random", "b:f32[k * 128] = random", "out:f32[1024 * 256]", "k:i32 = k"]
finding = ["bank-conflict-store", "occupancy-registers"]
*/

constexpr int kBM = 128;
constexpr int kBK = 8;

__device__ void stage_a(const float* a, volatile float* as, int k, int k0) {
  const int row = threadIdx.x / 2;
  const int col = threadIdx.x % 2 * 4;
  const float4 v = *reinterpret_cast<const float4*>(a + row * k + k0 + col);
  as[(col + 0) * kBM + row] = v.x;
  as[(col + 1) * kBM + row] = v.y;
  as[(col + 2) * kBM + row] = v.z;
  as[(col + 3) * kBM + row] = v.w;
}

__global__ void stage_plain(const float* a, const float* b, float* out, int k) {
  __shared__ float as[kBK * kBM];
  __shared__ float bs[kBK * kBM];
  const volatile float* av = as;
  const volatile float* bv = bs;
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kBK) {
    stage_a(a, as, k, k0);
    const float4 w = *reinterpret_cast<const float4*>(b + (k0 + t / 32) * 128 + 4 * (t % 32));
    *reinterpret_cast<float4*>(bs + t / 32 * kBM + 4 * (t % 32)) = w;
    __syncthreads();
    for (int d = 0; d < kBK; ++d)
      for (int i = 0; i < 8; ++i) sum += av[d * kBM + t / 16 * 8 + i] * bv[d * kBM + t % 16 * 8 + i];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}

__global__ void stage_scattered(const float* a, const float* b, float* out, int k) {
  __shared__ float as[kBK * kBM];
  __shared__ float bs[kBK * kBM];
  const volatile float* av = as;
  volatile float* bv = bs;
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kBK) {
    stage_a(a, as, k, k0);
    const float4 w = *reinterpret_cast<const float4*>(b + (k0 + t / 32) * 128 + 4 * (t % 32));
    const int i = t % 32;
    const int row = i % 2 * 4 + t / 32 * 8;
    bv[(row + 0) * 16 + i / 2] = w.x;
    bv[(row + 1) * 16 + i / 2] = w.y;
    bv[(row + 2) * 16 + i / 2] = w.z;
    bv[(row + 3) * 16 + i / 2] = w.w;
    __syncthreads();
    for (int d = 0; d < kBK; ++d)
      for (int j = 0; j < 8; ++j) sum += av[d * kBM + t / 16 * 8 + j] * bv[(d * 8 + j) * 16 + t % 16];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}
