// CUB's block-wide reduce, scan and radix sort: deep inlining from the toolkit's own headers.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

extern "C" __global__ void block_algorithms(int* p) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
    Sort::TempStorage sort;
  } storage;
  const int value = p[threadIdx.x];
  int before;
  Scan(storage.scan).ExclusiveSum(value, before);
  __syncthreads();
  int keys[2] = {before, value};
  Sort(storage.sort).Sort(keys, 0, 8);
  __syncthreads();
  p[threadIdx.x] = Reduce(storage.reduce).Sum(keys[0]) + keys[1];
}
