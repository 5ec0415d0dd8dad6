// Byte counters laid out so that every lane owns its bank: no conflict for any data. What limits it is the 32 KiB
// of shared memory a block.
/* gpuprobe
[[kernel]]
name = "histogram"
vars = { blocks = 2112, each = 64 }
grid = "blocks"
block = 128
args = ["in:u8[blocks * 128 * each] = random", "out:u32[blocks * 256]", "each:i32 = each"]
also = ["occupancy-shared", "uncoalesced-store", "uncoalesced-load", "partial-warps"]
expect = ["shared.load.conflict_degree == 1", "shared.store.conflict_degree == 1", "occupancy.theoretical == 37.5"]
*/

__global__ void histogram(const unsigned char* in, unsigned* out, int each) {
  __shared__ unsigned char count[32768];
  const int t = threadIdx.x;
  for (int i = t; i < 8192; i += 128) reinterpret_cast<unsigned*>(count)[i] = 0;
  __syncthreads();
  const int own = t % 32 * 4 + t / 32;
  for (int j = 0; j < each; ++j) {
    const int value = in[(blockIdx.x * each + j) * 128 + t];
    count[value * 128 + own] = count[value * 128 + own] + 1;
  }
  __syncthreads();
  for (int value = t; value < 256; value += 128) {
    unsigned sum = 0;
    for (int i = 0; i < 128; i += 4) {
      const int turned = (i + t % 32 * 4) % 128;
      const unsigned four = *reinterpret_cast<unsigned*>(count + value * 128 + turned);
      sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
    }
    out[blockIdx.x * 256 + value] = sum;
  }
}
