// Histogram of bytes with one shared counter array a block and shared atomics: lanes with the same value queue up.
/* gpuprobe
[[kernel]]
name = "histogram"
vars = { n = 1048576 }
grid = 256
block = 256
args = ["in:u8[n] = random", "out:u32[256]", "n:i32 = n"]
check_kernel = "reference"
*/

__global__ void histogram(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&count[in[i]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], count[threadIdx.x]);
}

__global__ void reference(const unsigned char* in, unsigned* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&out[in[i]], 1u);
}
