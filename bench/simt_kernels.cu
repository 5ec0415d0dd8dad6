// The kernels of simt_bench. Compiled with: nvcc -arch=sm_90 -O3 -ptx simt_kernels.cu
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32][32], bs[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    as[ty][tx] = a[row * n + k + tx];
    bs[ty][tx] = b[(k + ty) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void scalar(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  unsigned h = i;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    h = h * 1664525u + 1013904223u;
    x = x * 0.5f + (h & 1 ? 1.0f : -1.0f);
  }
  out[i] = x + h;
}
extern "C" __global__ void gather(const float* in, float* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned j = i;
  float x = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    j = (j * 1664525u + 1013904223u) & 0xFFFFF;
    if (j & 2) x += in[j];
  }
  out[i] = x;
}
