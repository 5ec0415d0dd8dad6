// Reads fields of many structs. In an array of structs, one field of 32 neighbours lies a struct apart; in a struct
// of arrays (an array for each field), side by side.

#ifndef GPUPROBE_WORDS
#define GPUPROBE_WORDS 3  // floats of a struct
#endif
#ifndef GPUPROBE_FIELDS
#define GPUPROBE_FIELDS 1  // fields that are read
#endif

struct Particle {
  float field[GPUPROBE_WORDS];
};

__global__ void structs_aos(const Particle* particles, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
#pragma unroll
  for (int f = 0; f < GPUPROBE_FIELDS; ++f)
    sum += particles[i].field[f];
  out[i] = sum;
}

__global__ void structs_soa(const float* fields, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
#pragma unroll
  for (int f = 0; f < GPUPROBE_FIELDS; ++f)
    sum += fields[(size_t)f * n + i];
  out[i] = sum;
}
