// curand, cuda::std::complex and cuda::std::sqrt.
/* gpuprobe
[[kernel]]
name  = "misc"
vars  = { n = 1048576 }
grid  = ["ceildiv(n, 256)"]
block = [256]
args  = ["in:f32[n] = random", "out:f32[n] = zeros"]
check_kernel = "misc_plain"
within = 1e-4
finding = "none"
*/
#include <curand_kernel.h>
#include <cuda/cmath>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
__global__ void misc(const float* in, float* out) {
  const cuda::std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::std::complex<float> z(in[i], 1.0f);
  z = z * z;
  curandStatePhilox4_32_10_t state;
  curand_init(1234, i, 0, &state);
  const float u = curand_uniform(&state);
  out[i] = z.real() + z.imag() + cuda::std::sqrt(in[i]) + (u > 0 && u <= 1 ? 1 : 0);
}
__global__ void misc_plain(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[i];
  out[i] = x * x - 1 + 2 * x + sqrtf(x) + 1;
}
