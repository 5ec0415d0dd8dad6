// Assignment step of k-means: points as separate coordinates, 16 centres in shared memory read as broadcasts.
/* gpuprobe
[[kernel]]
name = "assign"
vars = { n = 262144 }
grid = "n / 256"
block = 256
args = ["px:f32[n] = random", "py:f32[n] = random", "cx:f32[16] = random", "cy:f32[16] = random", "label:i32[n]"]
check_kernel = "reference"
finding = "none"
*/

__device__ float distance(float x, float y, float u, float v) {
  return __fadd_rn(__fmul_rn(x - u, x - u), __fmul_rn(y - v, y - v));
}

__global__ void assign(const float* px, const float* py, const float* cx, const float* cy, int* label) {
  __shared__ float u[16];
  __shared__ float v[16];
  if (threadIdx.x < 16) {
    u[threadIdx.x] = cx[threadIdx.x];
    v[threadIdx.x] = cy[threadIdx.x];
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = px[i];
  const float y = py[i];
  int best = 0;
  float least = distance(x, y, u[0], v[0]);
  for (int c = 1; c < 16; ++c) {
    const float d = distance(x, y, u[c], v[c]);
    if (d < least) {
      least = d;
      best = c;
    }
  }
  label[i] = best;
}

__global__ void reference(const float* px, const float* py, const float* cx, const float* cy, int* label) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int best = 0;
  for (int c = 1; c < 16; ++c)
    if (distance(px[i], py[i], cx[c], cy[c]) < distance(px[i], py[i], cx[best], cy[best])) best = c;
  label[i] = best;
}
