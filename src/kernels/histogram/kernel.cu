// How often each byte value occurs. Every variant adds one for each element with an atomic; what differs is how many
// threads want the same counter.

constexpr int kBins = 256;

// One histogram for the whole grid, in global memory.
__global__ void histogram_global(const unsigned char* in, long long n, unsigned* bins) {
  const long long threads = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    const unsigned char value = in[i];
    atomicAdd(&bins[value], 1u);
  }
}

// One histogram for each block, in shared memory, added to the global one at the end. Lanes with the same value still
// wait for each other.
__global__ void histogram_shared(const unsigned char* in, long long n, unsigned* bins) {
  __shared__ unsigned own[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x)
    own[bin] = 0;
  __syncthreads();
  const long long threads = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    const unsigned char value = in[i];
    atomicAdd(&own[value], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    const unsigned count = own[bin];
    atomicAdd(&bins[bin], count);
  }
}

// One histogram for each lane number: counter (value, lane) lies in the bank of its lane, so the lanes of a warp never
// meet, whatever the data. It takes 32 times the shared memory.
__global__ void histogram_private(const unsigned char* in, long long n, unsigned* bins) {
  __shared__ unsigned own[kBins * 32];
  for (int i = threadIdx.x; i < kBins * 32; i += blockDim.x)
    own[i] = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const long long threads = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    const unsigned char value = in[i];
    atomicAdd(&own[value * 32 + lane], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    unsigned count = 0;
#pragma unroll 4
    for (int i = 0; i < 32; ++i)
      count += own[bin * 32 + (i + lane) % 32];  // each lane begins in another bank
    atomicAdd(&bins[bin], count);
  }
}
