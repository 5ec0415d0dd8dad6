// The offset sweep with 16-byte elements: 16 sectors a request are ideal; an odd offset makes it 17.
/* gpuprobe
[[kernel]]
name = "shift_update4"
vars = { n = 262144, offset = [0, 2, 4] }
grid = "n / 256"
block = 256
args = ["a:b16[n + 64] = zeros", "offset:i32 = offset"]
finding = "none"
expect = ["global.load.sectors_per_request == 16", "global.store.sectors_per_request == 16"]

[[kernel]]
name = "shift_update4"
vars = { n = 262144, offset = [1, 3] }
grid = "n / 256"
block = 256
args = ["a:b16[n + 64] = zeros", "offset:i32 = offset"]
finding = "misaligned"
expect = ["global.load.sectors_per_request == 17", "global.store.sectors_per_request == 17"]
*/

__global__ void shift_update4(float4* a, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
  float4 v = a[i];
  v.x += 1.0f;
  v.y += 1.0f;
  v.z += 1.0f;
  v.w += 1.0f;
  a[i] = v;
}
