// A grid-stride fill of 128 MiB. The first touch of managed memory made it slow for the asker; the access itself is
// ideal, and gpuprobe uses plain device memory.
/* gpuprobe
[[kernel]]
name = "fill"
vars = { n = 33554432 }
grid = 2112
block = 256
args = ["a:i32[n]", "n:i32 = n"]
finding = "none"
expect = ["global.store.sectors_per_request == 4", "occupancy.theoretical == 100"]
*/

__global__ void fill(int* a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = 1;
}
