// All-pairs forces with bodies staged through shared memory as float4: broadcasts of 16 bytes.
/* gpuprobe
[[kernel]]
name = "forces"
vars = { n = 4096 }
grid = "n / 128"
block = 128
args = ["body:f32[4 * n] = random", "force:f32[4 * n]", "n:i32 = n"]
check_kernel = "reference"
within = 1e-3
finding = "grid-too-small"
*/

__device__ float4 pull(float4 me, float4 other, float4 sum) {
  const float dx = other.x - me.x;
  const float dy = other.y - me.y;
  const float dz = other.z - me.z;
  const float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
  const float f = other.w * inverse * inverse * inverse;
  return make_float4(sum.x + f * dx, sum.y + f * dy, sum.z + f * dz, 0.0f);
}

__global__ void forces(const float4* body, float4* force, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 me = body[i];
  float4 sum = make_float4(0, 0, 0, 0);
  for (int first = 0; first < n; first += 128) {
    tile[threadIdx.x] = body[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) sum = pull(me, tile[j], sum);
    __syncthreads();
  }
  force[i] = sum;
}

__global__ void reference(const float4* body, float4* force, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int j = 0; j < n; ++j) sum = pull(body[i], body[j], sum);
  force[i] = sum;
}
