// A device function that calls itself (Ackermann, small arguments): real calls with a stack, lanes of different depth.
/* gpuprobe
[[kernel]]
name = "ackermann_values"
vars = { n = 4096 }
grid = "n / 128"
block = 128
args = ["out:i32[n]"]
check_kernel = "reference"
*/

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void ackermann_values(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = ackermann(i % 3, i / 3 % 5);
}

__global__ void reference(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int m = i % 3;
  const int n = i / 3 % 5;
  out[i] = m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3;
}
