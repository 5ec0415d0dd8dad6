// Compiled with -G: labels, scopes and debug sections of an unoptimised build.
extern "C" __global__ void debug(int* p) {
  __shared__ int tile[64];
  for (int i = 0; i < 2; ++i) tile[threadIdx.x + 32 * i] = p[i];
  __syncthreads();
  p[threadIdx.x] = tile[threadIdx.x ^ 1];
}
