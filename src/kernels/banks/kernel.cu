// The bank lab as a kernel: every warp reads the same pattern of shared memory over and over.
//
// 32 banks of 4 bytes: lanes that want different words of one bank are served one after another, lanes that want the
// same word together. The loads are written in PTX so that their width is what was asked for and the compiler neither
// merges them nor drops any.

#ifndef GPUPROBE_PATTERN
#define GPUPROBE_PATTERN 1  // 0 row, 1 column, 2 broadcast, 3 stride
#endif
#ifndef GPUPROBE_PITCH
#define GPUPROBE_PITCH 32  // elements from one row to the next
#endif
#ifndef GPUPROBE_STRIDE
#define GPUPROBE_STRIDE 2  // elements from lane to lane, for the pattern stride
#endif
#ifndef GPUPROBE_WIDTH
#define GPUPROBE_WIDTH 4  // bytes of an element
#endif
#ifndef GPUPROBE_SWIZZLE
#define GPUPROBE_SWIZZLE 0  // 1: element (row, column) lies at column ^ row
#endif

// The element that a lane reads, counted through the rows.
__device__ int element_of(int lane) {
  int element = 0;
  if (GPUPROBE_PATTERN == 0) element = lane;
  if (GPUPROBE_PATTERN == 1) element = lane * GPUPROBE_PITCH;
  if (GPUPROBE_PATTERN == 3) element = lane * GPUPROBE_STRIDE;
  if (GPUPROBE_SWIZZLE) {
    const int row = element / GPUPROBE_PITCH;
    const int column = element % GPUPROBE_PITCH;
    element = row * GPUPROBE_PITCH + (column ^ (row & (GPUPROBE_PITCH - 1)));
  }
  return element;
}

// Reads one element and adds its words.
__device__ unsigned read_element(unsigned address) {
  unsigned a = 0, b = 0, c = 0, d = 0;
#if GPUPROBE_WIDTH == 1
  asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(a) : "r"(address));
#elif GPUPROBE_WIDTH == 2
  asm volatile("ld.volatile.shared.u16 %0, [%1];" : "=r"(a) : "r"(address));
#elif GPUPROBE_WIDTH == 4
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(address));
#elif GPUPROBE_WIDTH == 8
  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
#else
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address));
#endif
  return a + b + c + d;
}

__global__ void bank_read(const unsigned* in, unsigned* out, int words, int active, int reads) {
  extern __shared__ __align__(16) unsigned data[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    const unsigned value = in[i];
    data[i] = value;
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const unsigned address = (unsigned)__cvta_generic_to_shared(data) + element_of(lane) * GPUPROBE_WIDTH;
  unsigned sum = 0;
  if (lane < active) {
    for (int read = 0; read < reads; ++read)
      sum += read_element(address);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
