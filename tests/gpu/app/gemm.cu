// A product by cuBLAS, five times over.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

int main() {
  constexpr int kN = 2048;
  std::vector<float> host(static_cast<std::size_t>(kN) * kN);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i % 7) - 3;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  const std::size_t bytes = host.size() * sizeof(float);
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMalloc(&c, bytes);
  cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice);
  cublasHandle_t handle = nullptr;
  int status = cublasCreate(&handle);
  const float one = 1, zero = 0;
  for (int i = 0; i < 5 && status == 0; ++i)
    status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kN, kN, kN, &one, a, kN, b, kN, &zero, c, kN);
  cudaMemcpy(host.data(), c, bytes, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const float value : host) sum += value;
  std::printf("gemm %d %s %.0f\n", status, cudaGetErrorString(cudaGetLastError()), sum);
  return status;
}
