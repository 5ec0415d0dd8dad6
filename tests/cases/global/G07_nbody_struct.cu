// All-pairs forces over 24-byte bodies. The inner loop reads one body for the whole warp (a broadcast); the few
// strided accesses of a thread's own body do not count beside it. The grid is smaller than the GPU.
/* gpuprobe
[[kernel]]
name = "forces"
vars = { n = 30000 }
grid = "ceildiv(n, 256)"
block = 256
args = ["p:b24[n] = zeros", "n:i32 = n"]
finding = "grid-too-small"
expect = ["global.load.sectors_per_request <= 1.01", "global.store.sectors_per_request >= 23.9"]
*/

struct Body {
  float x, y, z, vx, vy, vz;
};

__global__ void forces(Body* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = p[i].x;
  const float y = p[i].y;
  const float z = p[i].z;
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int j = 0; j < n; ++j) {
    const float dx = p[j].x - x;
    const float dy = p[j].y - y;
    const float dz = p[j].z - z;
    const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
    const float force = inverse * inverse * inverse;
    fx += dx * force;
    fy += dy * force;
    fz += dz * force;
  }
  p[i].vx += fx;
  p[i].vy += fy;
  p[i].vz += fz;
}
