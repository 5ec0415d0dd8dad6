// cub::BlockRadixSort: keys scatter into shared memory by their rank, which conflicts.
/* gpuprobe
[[kernel]]
name  = "sort"
vars  = { n = 1622016 }
grid  = ["ceildiv(n, 512)"]
block = [128]
args  = ["in:u32[n] = random", "out:u32[n] = zeros"]
check_kernel = "sort_plain"
finding = ["bank-conflict-store", "uncoalesced-load"]
also = ["bank-conflict-load"]
*/
#include <cub/block/block_radix_sort.cuh>
__global__ void sort(const unsigned* in, unsigned* out) {
  using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
  __shared__ typename Sort::TempStorage storage;
  unsigned keys[4];
  for (int i = 0; i < 4; ++i) keys[i] = in[blockIdx.x * 512 + threadIdx.x * 4 + i];
  Sort(storage).SortBlockedToStriped(keys);
  for (int i = 0; i < 4; ++i) out[blockIdx.x * 512 + i * 128 + threadIdx.x] = keys[i];
}
__global__ void sort_plain(const unsigned* in, unsigned* out) {
  for (int k = threadIdx.x; k < 512; k += 128) {
    unsigned v = in[blockIdx.x * 512 + k];
    int rank = 0;
    for (int j = 0; j < 512; ++j) {
      unsigned o = in[blockIdx.x * 512 + j];
      rank += o < v || (o == v && j < k);
    }
    out[blockIdx.x * 512 + rank] = v;
  }
}
