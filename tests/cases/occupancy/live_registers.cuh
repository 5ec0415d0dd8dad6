// A kernel that really holds kLive values in registers, so that the compiled register count follows it.
#pragma once

template <int kLive, int kThreads>
__global__ void __launch_bounds__(kThreads) live(const float* in, float* out, int rounds) {
  float v[kLive];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < kLive; ++i) v[i] = in[i * 32 + t % 32];
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < kLive; ++i) v[i] = fmaf(v[i], 0.5f, v[(i + 1) % kLive]);
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kLive; ++i) sum += v[i];
  out[t] = sum;
}
