// Radix-2 FFT of 1024 complex points a block in shared memory. Strides of a power of two meet in few banks.
/* gpuprobe
[[kernel]]
name = "fft"
vars = { blocks = 16 }
grid = "blocks"
block = 512
args = ["in:f32[blocks * 2048] = random(-1, 1)", "out:f32[blocks * 2048]"]
check_kernel = "reference"
within = 2e-3
*/

constexpr float kPi = 3.14159265358979f;

__global__ void fft(const float2* in, float2* out) {
  __shared__ float2 x[1024];
  const int t = threadIdx.x;
  const float2* mine = in + blockIdx.x * 1024;
  for (int i = t; i < 1024; i += 512) x[__brev(i) >> 22] = mine[i];
  __syncthreads();
  for (int half = 1; half < 1024; half *= 2) {
    const int k = t % half;
    const int i = t / half * 2 * half + k;
    float s, c;
    sincosf(-kPi * k / half, &s, &c);
    const float2 a = x[i];
    const float2 b = x[i + half];
    const float2 w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    x[i] = make_float2(a.x + w.x, a.y + w.y);
    x[i + half] = make_float2(a.x - w.x, a.y - w.y);
    __syncthreads();
  }
  for (int i = t; i < 1024; i += 512) out[blockIdx.x * 1024 + i] = x[i];
}

// The definition of the transform.
__global__ void reference(const float2* in, float2* out) {
  const float2* mine = in + blockIdx.x * 1024;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    float re = 0.0f, im = 0.0f;
    for (int j = 0; j < 1024; ++j) {
      float s, c;
      sincosf(-2.0f * kPi * (i * j % 1024) / 1024.0f, &s, &c);
      re += mine[j].x * c - mine[j].y * s;
      im += mine[j].x * s + mine[j].y * c;
    }
    out[blockIdx.x * 1024 + i] = make_float2(re, im);
  }
}
