// A copy through a tile of halves whose layout conflicts nowhere. A hardware conflict count above zero is
// arbitration between users of the data stage; no address causes it and no layout cures it.
/* gpuprobe
[[kernel]]
name = "copy_tile"
grid = 16384
block = 256
args = ["in:u16[16384 * 2048] = random", "out:u16[16384 * 2048]"]
finding = "none"
expect = ["shared.load.conflict_degree == 1", "shared.store.conflict_degree == 1"]
*/

__global__ void copy_tile(const uint4* in, uint4* out) {
  __shared__ uint4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  const uint4 v = tile[threadIdx.x ^ 8];
  out[blockIdx.x * 256 + (threadIdx.x ^ 8)] = v;
}
