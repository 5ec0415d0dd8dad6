// sum of an array, in several arrangements. What differs is where the partial sums are kept, and what has to be waited
// for between two rounds: the whole grid (a launch), a block (a barrier) or a warp (a shuffle).

#ifndef GPUPROBE_BLOCK
#define GPUPROBE_BLOCK 256  // threads of a block, a power of two
#endif
#ifndef GPUPROBE_ELEMENTS
#define GPUPROBE_ELEMENTS 1  // elements that each thread adds before the block begins: 1 or 2
#endif
#ifndef GPUPROBE_ATOMIC
#define GPUPROBE_ATOMIC 1  // 1: a block adds its sum to the result; 0: it leaves it to a second kernel
#endif

constexpr int kBlock = GPUPROBE_BLOCK;

// What a block does with its sum. The atomic needs no second launch, but adds in the order in which blocks happen to
// finish, and floating-point addition is not associative: the last digits vary from run to run.
__device__ void finish(float sum, float* partial, float* result) {
#if GPUPROBE_ATOMIC
  atomicAdd(result, sum);
#else
  partial[blockIdx.x] = sum;
#endif
}

// The elements of this thread, added; beyond the end they count as zero.
__device__ float first_sum(const float* in, long long n) {
  const long long i = (long long)blockIdx.x * (kBlock * GPUPROBE_ELEMENTS) + threadIdx.x;
  float sum = 0.0f;
  if (i < n)
    sum = in[i];
#if GPUPROBE_ELEMENTS == 2
  if (i + kBlock < n)
    sum += in[i + kBlock];
#endif
  return sum;
}

// One round of halving: the upper half is added to the lower half, in place. It takes a launch for each round.
__global__ void reduce_halving(float* data, long long length) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long half = (length + 1) / 2;
  if (i + half >= length) return;
  const float upper = data[i + half];
  const float lower = data[i];
  data[i] = lower + upper;
}

// A tree within the block, its partial sums in global memory: each round goes through the caches.
__global__ void reduce_block_global(float* data, long long n, float* partial, float* result) {
  const long long i = (long long)blockIdx.x * (2 * kBlock) + threadIdx.x;
  float left = 0.0f;
  float right = 0.0f;
  if (i < n)
    left = data[i];
  if (i + kBlock < n)
    right = data[i + kBlock];
  float sum = left + right;
  if (i < n)
    data[i] = sum;
  for (int width = kBlock / 2; width > 0; width /= 2) {
    __syncthreads();  // the sums of the last round can be read by all threads of the block
    if (threadIdx.x < width) {
      float other = 0.0f;
      if (i + width < n)
        other = data[i + width];
      sum += other;
      if (i < n)
        data[i] = sum;
    }
  }
  if (threadIdx.x == 0) finish(sum, partial, result);
}

// The same tree in shared memory. The active threads are the first ones and read consecutive words: no conflicts,
// and whole warps fall idle.
__global__ void reduce_sequential(const float* in, long long n, float* partial, float* result) {
  extern __shared__ float scratch[];
  scratch[threadIdx.x] = first_sum(in, n);
  for (int width = kBlock / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) {
      const float other = scratch[threadIdx.x + width];
      const float mine = scratch[threadIdx.x];
      scratch[threadIdx.x] = mine + other;
    }
  }
  if (threadIdx.x == 0) {
    const float sum = scratch[0];
    finish(sum, partial, result);
  }
}

// The tree with growing distances. Consecutive threads are 2 x distance words apart: as the distance grows, 2, 4, ...
// 32 lanes want the same bank.
__global__ void reduce_interleaved(const float* in, long long n, float* partial, float* result) {
  extern __shared__ float scratch[];
  scratch[threadIdx.x] = first_sum(in, n);
#pragma unroll 1  // unrolled, the first round's two loads would be merged into one of 8 bytes
  for (int distance = 1; distance < kBlock; distance *= 2) {
    __syncthreads();
    const int index = 2 * distance * threadIdx.x;
    if (index < kBlock) {
      const float other = scratch[index + distance];
      const float mine = scratch[index];
      scratch[index] = mine + other;
    }
  }
  if (threadIdx.x == 0) {
    const float sum = scratch[0];
    finish(sum, partial, result);
  }
}

// Adds a value over the lanes of a warp; lane 0 has the result.
__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

// Within a warp by shuffles, between the warps through one row of shared memory and a single barrier.
__global__ void reduce_shuffle(const float* in, long long n, float* partial, float* result) {
  extern __shared__ float scratch[];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float sum = warp_sum(first_sum(in, n));
  if (lane == 0)
    scratch[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = 0.0f;
  if (lane < kBlock / 32)
    sum = scratch[lane];
  sum = warp_sum(sum);
  if (lane == 0) finish(sum, partial, result);
}

// The second launch of --finish second-kernel: one block adds the sums of all blocks.
__global__ void reduce_partials(const float* partial, int count, float* result) {
  __shared__ float scratch[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const float value = partial[i];
    sum += value;
  }
  sum = warp_sum(sum);
  if (lane == 0)
    scratch[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = scratch[lane];
  sum = warp_sum(sum);
  if (lane == 0)
    *result = sum;
}
