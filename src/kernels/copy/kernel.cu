// out[i] = in[i * stride + offset]: where the lanes of a warp read decides how many 32-byte sectors they touch.
//
// With stride 1 and an offset of whole sectors, a warp of 4-byte elements reads 4 sectors. An offset that is no whole
// sector adds one: the first and the last are used in part. A stride spreads the same 32 elements over more sectors,
// until each lane has one of its own (stride 8 for 4-byte elements).

#ifndef GPUPROBE_ELEMENT
#define GPUPROBE_ELEMENT float
#endif

using Element = GPUPROBE_ELEMENT;

__global__ void copy(const Element* in, Element* out, int n, int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Element value = in[(size_t)i * stride + offset];
  out[i] = value;
}
