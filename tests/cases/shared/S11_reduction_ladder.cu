// Three steps of the classic reduction ladder over one block of T threads. Interleaved addressing with a remainder
// diverges but does not conflict; the strided index conflicts; sequential addressing does neither.
/* gpuprobe
[[kernel]]
name = "remainder<128>"
vars = { n = 4194304 }
grid = "n / 128"
block = 128
args = ["in:i32[n] = mod(7)", "out:i32[n / 128]"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 1", "shared.store.wavefronts_per_request == 1",
          "global.load.sectors_per_request == 4"]

[[kernel]]
name = "strided_index<128>"
vars = { n = 4194304 }
grid = "n / 128"
block = 128
args = ["in:i32[n] = mod(7)", "out:i32[n / 128]"]
finding = "bank-conflict-load"
also = ["bank-conflict-store"]
expect = ["shared.load.wavefronts_per_request >= 2.7", "shared.load.wavefronts_per_request <= 2.8",
          "shared.store.wavefronts_per_request == 2.25"]

[[kernel]]
name = "strided_index<256>"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["in:i32[n] = mod(7)", "out:i32[n / 256]"]
finding = "bank-conflict-load"
also = ["bank-conflict-store"]
expect = ["shared.load.wavefronts_per_request >= 3.75", "shared.load.wavefronts_per_request <= 3.85",
          "shared.store.wavefronts_per_request >= 2.7", "shared.store.wavefronts_per_request <= 2.8"]

[[kernel]]
name = "sequential<128>"
vars = { n = 4194304 }
grid = "n / 128"
block = 128
args = ["in:i32[n] = mod(7)", "out:i32[n / 128]"]
finding = "none"
expect = ["shared.load.wavefronts_per_request == 1", "shared.store.wavefronts_per_request == 1"]
*/

template <int kThreads>
__global__ void remainder(const int* in, int* out) {
  __shared__ int data[kThreads];
  const int t = threadIdx.x;
  data[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int s = 1; s < kThreads; s *= 2) {
    if (t % (2 * s) == 0) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

template <int kThreads>
__global__ void strided_index(const int* in, int* out) {
  __shared__ int data[kThreads];
  const int t = threadIdx.x;
  data[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int s = 1; s < kThreads; s *= 2) {
    const int index = 2 * s * t;
    if (index < kThreads) data[index] += data[index + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

template <int kThreads>
__global__ void sequential(const int* in, int* out) {
  __shared__ int data[kThreads];
  const int t = threadIdx.x;
  data[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (t < s) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}
