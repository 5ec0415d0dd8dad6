// A kernel that holds as many registers and as much shared memory as asked, for experiments with occupancy.
//
// Each thread keeps GPUPROBE_LIVE values from memory in registers through the whole loop, and uses all of them in each
// round. GPUPROBE_CHAINS sums grow independently of each other: with one, each multiply-add waits for the one before,
// and only other warps can fill the time, so the speed depends on occupancy; with several, a warp fills it by itself.

#ifndef GPUPROBE_LIVE
#define GPUPROBE_LIVE 24
#endif
#ifndef GPUPROBE_CHAINS
#define GPUPROBE_CHAINS 1
#endif
#ifndef GPUPROBE_SHARED_WORDS
#define GPUPROBE_SHARED_WORDS 0  // four-byte words of shared memory
#endif
#ifndef GPUPROBE_SHARED_DYNAMIC
#define GPUPROBE_SHARED_DYNAMIC 0  // 1: the launch gives it
#endif

constexpr int kTable = 1024;  // different start values

__global__ void pressure(const float* in, float* out, int rounds) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float value[GPUPROBE_LIVE];
#pragma unroll
  for (int i = 0; i < GPUPROBE_LIVE; ++i)
    value[i] = in[thread % kTable + 32 * i];  // a warp reads whole lines

  float sum[GPUPROBE_CHAINS];
#pragma unroll
  for (int chain = 0; chain < GPUPROBE_CHAINS; ++chain) sum[chain] = 0.0f;

#if GPUPROBE_SHARED_WORDS
#if GPUPROBE_SHARED_DYNAMIC
  extern __shared__ float kept[];
#else
  __shared__ float kept[GPUPROBE_SHARED_WORDS];
#endif
  // Written and read back, so that it is not optimised away; the difference is zero.
  if (threadIdx.x < GPUPROBE_SHARED_WORDS)
    kept[threadIdx.x] = value[0];
  __syncthreads();
  if (threadIdx.x < GPUPROBE_SHARED_WORDS)
    sum[0] = kept[threadIdx.x] - value[0];
#endif

#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < GPUPROBE_LIVE; ++i)
      sum[i % GPUPROBE_CHAINS] = fmaf(sum[i % GPUPROBE_CHAINS], 0.5f, value[i]);
  }

  float total = 0.0f;
#pragma unroll
  for (int chain = 0; chain < GPUPROBE_CHAINS; ++chain) total += sum[chain];
  out[thread] = total;
}
