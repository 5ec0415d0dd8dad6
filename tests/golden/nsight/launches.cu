// The program behind the Nsight Compute recordings beside this file: 37 launches of kernels whose access patterns are
// known. record.sh compiles and profiles it.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    const cudaError_t status = (call);                                                  \
    if (status != cudaSuccess) {                                                        \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void strided(const float* in, float* out, int n, int stride) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int step = gridDim.x * blockDim.x * stride;
  float sum = 0;
  for (int i = thread * stride; i < n; i += step) sum += in[i];
  out[thread] = sum;
}

__global__ void rowsum_bad(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int column = 0; column < columns; ++column) sum += in[row * columns + column];
  out[row] = sum;
}

__global__ void rowsum_good(const float* in, float* out, int columns) {
  __shared__ float partial[32];
  float sum = 0;
  for (int column = threadIdx.x; column < columns; column += blockDim.x) sum += in[blockIdx.x * columns + column];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int warp = 0; warp < blockDim.x / 32; ++warp) total += partial[warp];
    out[blockIdx.x] = total;
  }
}

template <bool swapped>
__global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = swapped ? x : y;
  const int column = swapped ? y : x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <int tile, bool transposed, int pad>
__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[tile][tile];
  __shared__ float bs[tile][tile + pad];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty, column = blockIdx.x * tile + tx;
  float sum = 0;
  for (int stage = 0; stage < n; stage += tile) {
    as[ty][tx] = a[row * n + stage + tx];
    if (transposed)
      bs[tx][ty] = b[(stage + ty) * n + column];
    else
      bs[ty][tx] = b[(stage + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += as[ty][k] * (transposed ? bs[tx][k] : bs[k][tx]);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void transpose_strided_stores(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

__global__ void transpose_strided_loads(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * n + x] = in[x * n + y];
}

template <int pad, bool swizzled>
__global__ void transpose_tiled(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + pad];
  const int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][swizzled ? tx ^ ty : tx] = in[(blockIdx.y * 32 + ty) * n + blockIdx.x * 32 + tx];
  __syncthreads();
  out[(blockIdx.x * 32 + ty) * n + blockIdx.y * 32 + tx] = tile[tx][swizzled ? ty ^ tx : ty];
}

__global__ void reduce_global(float* data, float* out) {
  float* block = data + size_t{2} * blockDim.x * blockIdx.x;
  for (int half = blockDim.x; half > 0; half /= 2) {
    if (threadIdx.x < half) block[threadIdx.x] += block[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, block[0]);
}

__global__ void reduce_shared(const float* data, float* out) {
  extern __shared__ float partial[];
  const size_t i = size_t{2} * blockDim.x * blockIdx.x + threadIdx.x;
  partial[threadIdx.x] = data[i] + data[i + blockDim.x];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

__global__ void reduce_interleaved(const float* data, float* out) {
  extern __shared__ float partial[];
  partial[threadIdx.x] = data[size_t{blockDim.x} * blockIdx.x + threadIdx.x];
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    const int index = 2 * stride * threadIdx.x;
    if (index < blockDim.x) partial[index] += partial[index + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

__global__ void bank_pitch(const float* in, float* out, int pitch, int active) {
  extern __shared__ volatile float words[];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = in[i];
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (lane >= active) return;
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += words[(lane * pitch) % 2048];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void invert(unsigned char* image, int width) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  image[row * width + column] = 255 - image[row * width + column];
}

int main() {
  constexpr size_t kFloats = size_t{1} << 26;
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, kFloats * sizeof(float)));
  CHECK(cudaMalloc(&b, kFloats * sizeof(float)));
  CHECK(cudaMalloc(&c, kFloats * sizeof(float)));
  CHECK(cudaMemset(a, 0, kFloats * sizeof(float)));
  CHECK(cudaMemset(b, 0, kFloats * sizeof(float)));
  CHECK(cudaMemset(c, 0, kFloats * sizeof(float)));

  saxpy<<<65536, 256>>>(2.0f, a, b, 1 << 24);
  for (int stride = 1; stride <= 128; stride *= 2) strided<<<1056, 256>>>(a, b, 1 << 26, stride);
  rowsum_bad<<<64, 256>>>(a, b, 16384, 1024);
  rowsum_good<<<16384, 256>>>(a, b, 1024);

  const dim3 b16(16, 16), b32(32, 32);
  matmul_naive<false><<<dim3(64, 64), b16>>>(a, b, c, 1024);
  matmul_naive<false><<<dim3(32, 32), b32>>>(a, b, c, 1024);
  matmul_naive<true><<<dim3(32, 32), b32>>>(a, b, c, 1024);
  matmul_tiled<16, false, 0><<<dim3(64, 64), b16>>>(a, b, c, 1024);
  matmul_tiled<32, false, 0><<<dim3(32, 32), b32>>>(a, b, c, 1024);
  matmul_tiled<32, true, 0><<<dim3(32, 32), b32>>>(a, b, c, 1024);
  matmul_tiled<32, true, 1><<<dim3(32, 32), b32>>>(a, b, c, 1024);

  const dim3 grid(128, 128);
  transpose_strided_stores<<<grid, b32>>>(a, b, 4096);
  transpose_strided_loads<<<grid, b32>>>(a, b, 4096);
  transpose_tiled<0, false><<<grid, b32>>>(a, b, 4096);
  transpose_tiled<1, false><<<grid, b32>>>(a, b, 4096);
  transpose_tiled<0, true><<<grid, b32>>>(a, b, 4096);

  reduce_global<<<16384, 1024>>>(a, c);
  reduce_shared<<<16384, 1024, 4096>>>(a, c);
  reduce_interleaved<<<65536, 256, 1024>>>(a, c);

  for (int pitch : {32, 33, 1, 2, 4, 8, 16, 0}) bank_pitch<<<132, 256, 8192>>>(a, b, pitch, 32);
  bank_pitch<<<132, 256, 8192>>>(a, b, 2, 16);

  auto* image = reinterpret_cast<unsigned char*>(c);
  invert<<<dim3(512, 512), b16>>>(image, 8192);
  invert<<<dim3(256, 1024), dim3(32, 8)>>>(image, 8192);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}
