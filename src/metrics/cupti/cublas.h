// The functions of cuBLAS that a library call of a kernel needs, as a table filled from libcublas at run
// time: neither building nor starting gpuprobe needs the library. Tests fill the table themselves.
//
//   Result<const CublasApi*> cublas = cublas_api();
#pragma once

#include <string>

#include "core/result.h"

namespace gpuprobe::cupti {

/// Declared here rather than taken from cublas_api.h, so that the toolkit needs no cuBLAS to build gpuprobe.
/// Types and values as in cublas_api.h of CUDA 12 and 13, whose functions keep their binary interface.
struct CublasApi {
  using Handle = struct cublasContext*;
  enum Status : int { kSuccess = 0 };
  enum Operation : int { kAsIs = 0 };               ///< CUBLAS_OP_N
  enum Math : int { kDefaultMath = 0, kTf32 = 3 };  ///< CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH

  Status (*Create)(Handle* handle) = nullptr;
  Status (*Destroy)(Handle handle) = nullptr;
  Status (*SetMathMode)(Handle handle, Math mode) = nullptr;
  Status (*GetVersion)(Handle handle, int* version) = nullptr;
  const char* (*GetStatusString)(Status status) = nullptr;
  /// c = alpha op(a) op(b) + beta c, all of them column by column.
  Status (*Sgemm)(Handle handle, Operation op_a, Operation op_b, int m, int n, int k, const float* alpha,
                  const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                  int ldc) = nullptr;
};

/// Loads libcublas from the places where it may lie; GPUPROBE_CUBLAS names another. Errors (kMachine): not
/// found, or too old.
Result<CublasApi> load_cublas();
/// The same, loaded once a process.
Result<const CublasApi*> cublas_api();

/// Success, or what cuBLAS says of `status` while `doing` ("multiplying"). kMachine.
gpuprobe::Status check_cublas(const CublasApi& api, CublasApi::Status status, const std::string& doing);

}  // namespace gpuprobe::cupti
