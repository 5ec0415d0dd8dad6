// Variables of every space: initial values, pointers to one another, structs by value, managed, dynamic shared memory.

#include <cuda_fp16.h>

struct Record {
  double weight;
  char tag;
  int counts[3];
};

__device__ Record record = {1.5, 'a', {1, 2, 3}};
__device__ int numbers[5] = {-1, 2, 0x7fffffff};
__device__ int* pointers[3] = {numbers, nullptr, numbers + 2};
__device__ const char* text = "hello";
__device__ float matrix[2][3] = {{1, 2, 3}, {4.5f, -0.0f, 6}};
__device__ __half_raw* nothing;
__constant__ float coefficients[4] = {1, 2, 3.5f, 0};
__constant__ double4 vector_constant = {1, 2, 3, 4};
__managed__ int counter = 7;

__device__ __noinline__ Record bumped(Record r, int i) {
  r.counts[i & 1] += i;
  return r;
}

extern "C" __global__ void data(Record r, Record* out, char3 small, unsigned long long wide, int i) {
  __shared__ Record shared[4];
  __shared__ float tile[32][33];
  extern __shared__ short dynamic[];
  int local[64];
  for (int j = 0; j < 64; ++j) local[j] = out[j].counts[1];
  shared[threadIdx.x] = r;
  tile[threadIdx.x][i] = matrix[1][i % 3];
  dynamic[threadIdx.x] = small.y;
  __syncthreads();
  out[0] = bumped(shared[i], i);
  out[1].weight = record.weight + *pointers[i] + text[i] + coefficients[i] + vector_constant.z + counter;
  out[2].counts[0] = local[i] + dynamic[i + 1] + (int)wide + (int)tile[i][threadIdx.x] + (nothing != nullptr);
}
