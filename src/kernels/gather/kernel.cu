// out[i] = table[index[i]]: the index decides what a warp reads. In random order each lane's element lies in a sector
// of its own; in ascending order the lanes share sectors.

__global__ void gather(const unsigned* index, const float* table, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned from = index[i];
  const float value = table[from];
  out[i] = value;
}
