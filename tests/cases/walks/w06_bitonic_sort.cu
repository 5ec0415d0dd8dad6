// Bitonic sort of 1024 keys a block in shared memory: partners at power-of-two distances, no conflict above distance 32.
/* gpuprobe
[[kernel]]
name = "sort"
vars = { blocks = 256 }
grid = "blocks"
block = 512
args = ["keys:i32[blocks * 1024] = random(0, 1000000)", "out:i32[blocks * 1024]"]
check_kernel = "reference"
*/

__global__ void sort(const int* keys, int* out) {
  __shared__ int key[1024];
  const int t = threadIdx.x;
  key[t] = keys[blockIdx.x * 1024 + t];
  key[t + 512] = keys[blockIdx.x * 1024 + t + 512];
  __syncthreads();
  for (int size = 2; size <= 1024; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int i = 2 * t - (t & (stride - 1));
      const bool ascending = (i & size) == 0;
      const int a = key[i];
      const int b = key[i + stride];
      if ((a > b) == ascending) {
        key[i] = b;
        key[i + stride] = a;
      }
      __syncthreads();
    }
  out[blockIdx.x * 1024 + t] = key[t];
  out[blockIdx.x * 1024 + t + 512] = key[t + 512];
}

// The rank of a key is the number of keys before it; equal keys keep their order.
__global__ void reference(const int* keys, int* out) {
  const int* mine = keys + blockIdx.x * 1024;
  for (int t = threadIdx.x; t < 1024; t += blockDim.x) {
    int rank = 0;
    for (int j = 0; j < 1024; ++j) rank += mine[j] < mine[t] || (mine[j] == mine[t] && j < t);
    out[blockIdx.x * 1024 + rank] = mine[t];
  }
}
