// cub::BlockLoad, BlockScan and BlockStore: the transposing load and store exchange through shared memory.
/* gpuprobe
[[kernel]]
name  = "scan"
vars  = { n = 1048576 }
grid  = ["ceildiv(n, 1024)"]
block = [256]
args  = ["in:i32[n] = random(0,100)", "out:i32[n] = zeros"]
check_kernel = "scan_plain"
finding = "none"
also = ["bank-conflict-load", "bank-conflict-store"]
*/
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
__global__ void scan(const int* in, int* out) {
  using Load = cub::BlockLoad<int, 256, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, 256, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<int, 256>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } s;
  int items[4];
  Load(s.load).Load(in + blockIdx.x * 1024, items);
  __syncthreads();
  Scan(s.scan).ExclusiveSum(items, items);
  __syncthreads();
  Store(s.store).Store(out + blockIdx.x * 1024, items);
}
__global__ void scan_plain(const int* in, int* out) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < 1024; ++i) {
    out[blockIdx.x * 1024 + i] = sum;
    sum += in[blockIdx.x * 1024 + i];
  }
}
