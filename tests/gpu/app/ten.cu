// Ten kernels and more, as programs have them: some launched again, several streams, static and dynamic shared
// memory, atomics, templates, a cooperative launch. Prints what it computed, so that a profiler that disturbs it
// is caught: `ten [PASSES]`.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kN = 1 << 20;
constexpr int kSide = 1024;

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                            \
      std::printf("%s line %d: %s\n", #call, __LINE__, cudaGetErrorString(error));         \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (false)

__global__ void fill(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = static_cast<float>(i % 1000);
}
__global__ void add(const float* a, const float* b, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i];
}
__global__ void increment(float* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
__global__ void strided(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[static_cast<long long>(i) * 32 % kN];
}
__global__ void transpose_naive(const float* in, float* out) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  out[x * kSide + y] = in[y * kSide + x];
}
__global__ void transpose_tile(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] =
      in[(blockIdx.y * 32 + threadIdx.y) * kSide + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * kSide + blockIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}
__global__ void histogram(const float* in, int* bins) {
  __shared__ int local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&local[static_cast<int>(in[blockIdx.x * blockDim.x + threadIdx.x]) % 64], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
__global__ void reduce(const float* in, unsigned long long* sum) {
  unsigned long long own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kN; i += gridDim.x * blockDim.x)
    own += static_cast<unsigned long long>(in[i]);
  atomicAdd(sum, own);
}
__global__ void dynamic(const float* in, float* out) {
  extern __shared__ float staged[];
  staged[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}
template <class T>
__global__ void scale(T* data, T by) {
  data[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}
struct Particle {
  float x, y, z;
};
__global__ void structs(const Particle* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i].x + in[i].y + in[i].z;
}
__global__ void two_phases(float* data, unsigned long long* sum) {
  const auto grid = cooperative_groups::this_grid();
  for (int i = grid.thread_rank(); i < kN; i += grid.size()) data[i] = 2;
  grid.sync();
  unsigned long long own = 0;
  for (int i = grid.thread_rank(); i < kN; i += grid.size())
    own += static_cast<unsigned long long>(data[kN - 1 - i]);
  atomicAdd(sum, own);
}

double sum_of(const float* device) {
  std::vector<float> host(kN);
  CHECK(cudaMemcpy(host.data(), device, kN * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float value : host) sum += value;
  return sum;
}

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 1;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  int* bins = nullptr;
  unsigned long long* sums = nullptr;
  CHECK(cudaMalloc(&a, kN * sizeof(float)));
  CHECK(cudaMalloc(&b, kN * sizeof(float)));
  CHECK(cudaMalloc(&c, kN * sizeof(float)));
  CHECK(cudaMalloc(&bins, 64 * sizeof(int)));
  CHECK(cudaMalloc(&sums, 2 * sizeof(unsigned long long)));
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const dim3 tiles(kSide / 32, kSide / 32), tile(32, 32);
  for (int pass = 0; pass < passes; ++pass) {
    CHECK(cudaMemset(bins, 0, 64 * sizeof(int)));
    CHECK(cudaMemset(sums, 0, 2 * sizeof(unsigned long long)));
    fill<<<kN / 256, 256>>>(a);
    fill<<<kN / 256, 256>>>(b);
    add<<<kN / 256, 256>>>(a, b, c);
    std::printf("add %.0f\n", sum_of(c));
    for (int i = 0; i < 3; ++i) increment<<<kN / 256, 256>>>(c);
    std::printf("increment %.0f\n", sum_of(c));
    for (int i = 0; i < 2; ++i) strided<<<kN / 256, 256>>>(a, c);
    std::printf("strided %.0f\n", sum_of(c));
    for (int i = 0; i < 2; ++i) transpose_naive<<<tiles, tile>>>(a, b);
    std::printf("transpose_naive %.0f\n", sum_of(b));
    for (int i = 0; i < 2; ++i) transpose_tile<<<tiles, tile>>>(b, c);
    std::printf("transpose_tile %.0f\n", sum_of(c));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 2; ++i) histogram<<<kN / 256, 256, 0, streams[0]>>>(a, bins);
    for (int i = 0; i < 2; ++i) dynamic<<<kN / 128, 128, 128 * sizeof(float), streams[1]>>>(a, c);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> counts(64);
    CHECK(cudaMemcpy(counts.data(), bins, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("histogram %d %d\ndynamic %.0f\n", counts[0], counts[63], sum_of(c));
    for (int i = 0; i < 2; ++i) reduce<<<256, 256>>>(a, sums);
    for (int i = 0; i < 2; ++i) scale<<<kN / 256, 256>>>(c, 2.0F);
    scale<<<kN / 512, 512>>>(c, 0.5F);
    std::printf("scale %.0f\n", sum_of(c));
    for (int i = 0; i < 2; ++i)
      structs<<<kN / 3 / 256, 256>>>(reinterpret_cast<const Particle*>(a), c, kN / 3);
    unsigned long long* second = sums + 1;
    void* arguments[] = {&c, &second};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(two_phases), dim3(64), dim3(256), arguments));
    CHECK(cudaDeviceSynchronize());
    unsigned long long totals[2];
    CHECK(cudaMemcpy(totals, sums, sizeof totals, cudaMemcpyDeviceToHost));
    std::printf("reduce %llu\ntwo_phases %llu\n", totals[0], totals[1]);
  }
  return 0;
}
