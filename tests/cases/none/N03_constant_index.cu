// A table in constant memory indexed by data: the constant cache serves one address at a time. No counter of global
// or shared memory sees that; the report must not call it clean, only not covered. In shared memory the same table
// conflicts at random (3.2 wavefronts a request on average).
/* gpuprobe
[[kernel]]
name = "from_shared"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["in:u8[n] = random", "table:i32[256] = iota", "out:i32[n]"]
also = ["bank-conflict-load"]
expect = ["shared.load.wavefronts_per_request >= 3", "shared.load.wavefronts_per_request <= 3.4"]

[[kernel]]
name = "from_constant"
vars = { n = 4194304 }
grid = "n / 256"
block = 256
args = ["in:u8[n] = random", "out:i32[n]"]
also = []
expect = ["global.store.sectors_per_request == 4"]
*/

__constant__ int constant_table[256];

__global__ void from_constant(const unsigned char* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = constant_table[in[i]];
}

__global__ void from_shared(const unsigned char* in, const int* table, int* out) {
  __shared__ int copy[256];
  copy[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = copy[in[i]];
}
