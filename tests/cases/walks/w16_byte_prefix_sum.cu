// Prefix sum of bytes, four a lane: one 4-byte load, bytes unpacked with prmt-like shifts, warp scan by shuffles.
/* gpuprobe
[[kernel]]
name = "byte_scan"
vars = { n = 1048576 }
grid = "n / 1024"
block = 256
args = ["in:u8[n] = random", "out:u32[n]"]
check_kernel = "reference"
*/

__global__ void byte_scan(const unsigned* in, uint4* out) {
  __shared__ unsigned totals[8];
  const int t = threadIdx.x;
  const int lane = t % 32;
  const unsigned four = in[blockIdx.x * 256 + t];
  const unsigned a = four & 255;
  const unsigned b = a + (four >> 8 & 255);
  const unsigned c = b + (four >> 16 & 255);
  const unsigned d = c + (four >> 24);
  unsigned sum = d;
  for (int k = 1; k < 32; k *= 2) {
    const unsigned below = __shfl_up_sync(0xffffffffu, sum, k);
    if (lane >= k) sum += below;
  }
  if (lane == 31) totals[t / 32] = sum;
  __syncthreads();
  unsigned before = sum - d;
  for (int w = 0; w < t / 32; ++w) before += totals[w];
  out[blockIdx.x * 256 + t] = make_uint4(before + a, before + b, before + c, before + d);
}

__global__ void reference(const unsigned* in, uint4* out) {
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(in) + blockIdx.x * 1024;
  unsigned* sums = reinterpret_cast<unsigned*>(out) + blockIdx.x * 1024;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    unsigned sum = 0;
    for (int j = 0; j <= i; ++j) sum += bytes[j];
    sums[i] = sum;
  }
}
