// Arrays of structs of 12, 16, 20 and 24 bytes, all fields used: every request is strided, though the line is used up.
/* gpuprobe
[[kernel]]
name = "length<3>"
vars = { n = 262144 }
grid = "n / 256"
block = 256
args = ["in:f32[3 * n] = random", "out:f32[n]"]
check_kernel = "reference<3>"
within = 1e-6
finding = "uncoalesced-load"
expect = ["global.load.sectors_per_request == 12"]

[[kernel]]
name = "length<5>"
vars = { n = 262144 }
grid = "n / 256"
block = 256
args = ["in:f32[5 * n] = random", "out:f32[n]"]
check_kernel = "reference<5>"
within = 1e-6
finding = "uncoalesced-load"
expect = ["global.load.sectors_per_request == 20"]

[[kernel]]
name = "length<6>"
vars = { n = 262144 }
grid = "n / 256"
block = 256
args = ["in:f32[6 * n] = random", "out:f32[n]"]
check_kernel = "reference<6>"
within = 1e-6
finding = "uncoalesced-load"
expect = ["global.load.sectors_per_request == 24"]
*/

template <int kFields>
__global__ void length(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile float* p = in + i * kFields;
  float sum = 0.0f;
#pragma unroll
  for (int f = 0; f < kFields; ++f) {
    const float v = p[f];
    sum = fmaf(v, v, sum);
  }
  out[i] = sqrtf(sum);
}

template <int kFields>
__global__ void reference(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0.0;
  for (int f = 0; f < kFields; ++f) sum += static_cast<double>(in[i * kFields + f]) * in[i * kFields + f];
  out[i] = static_cast<float>(sqrt(sum));
}
