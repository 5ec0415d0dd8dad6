// A lane writes four scalars of a float4 into a tile with pitch 65: row 0 uses banks 0, 4, .. 28 twice, row 1 is one
// bank further. 2-way for each of the four stores.
/* gpuprobe
[[kernel]]
name = "scatter"
grid = 4096
block = 256
args = ["in:f32[4096 * 1024] = random", "out:f32[4096 * 1024]"]
finding = "bank-conflict-store"
expect = ["shared.store.wavefronts_per_request == 2"]
*/

__global__ void scatter(const float4* in, float* out) {
  __shared__ float tile[16][65];
  const int t = threadIdx.x;
  const float4 v = in[blockIdx.x * 256 + t];
  volatile float* row = tile[t / 16] + 4 * (t % 16);
  row[0] = v.x;
  row[1] = v.y;
  row[2] = v.z;
  row[3] = v.w;
  __syncthreads();
  for (int i = t; i < 1024; i += 256) {
    const float w = tile[i / 64][i % 64];
    out[blockIdx.x * 1024 + i] = w;
  }
}
