// A step that calls a library instead of launching a kernel of the source: the call made ready once, on the
// kernel's buffers, and queued like a launch.
//
//   auto call = LibraryCall::bind(*cublas, step, buffers);     call->queue();
#pragma once

#include "core/kernel.h"
#include "core/result.h"
#include "metrics/cupti/cublas.h"
#include "metrics/cupti/device_buffers.h"

namespace gpuprobe::cupti {

class LibraryCall {
 public:
  /// Makes `step` ready in the current context. Known function: "cublasSgemm" with the arguments a, b, c
  /// (buffers of f32, row by row: m x k, k x n, m x n), m, n, k and 1 for TF32 on tensor cores, else 0 (i32).
  /// Errors: kMachine if cuBLAS cannot start, kDefect for another function or other arguments.
  static Result<LibraryCall> bind(const CublasApi& cublas, const Step& step, const DeviceBuffers& buffers);
  LibraryCall(LibraryCall&& other) noexcept;
  LibraryCall& operator=(LibraryCall&&) = delete;
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
  ~LibraryCall();

  /// Queues the call on the default stream. Errors: kMachine if the library refuses it.
  Status queue() const;
  /// "cuBLAS 13.1.0".
  std::string version() const;
  /// Never end the library: that waits for its kernels, which may not end.
  void abandon() { handle_ = nullptr; }

 private:
  struct Product {
    float* a = nullptr;
    float* b = nullptr;
    float* c = nullptr;
    int m = 0;
    int n = 0;
    int k = 0;
    bool tf32 = false;
  };

  LibraryCall(const CublasApi& cublas, const Product& product) : cublas_(&cublas), product_(product) {}
  static Result<Product> read(const Step& step, const DeviceBuffers& buffers);

  const CublasApi* cublas_;
  CublasApi::Handle handle_ = nullptr;
  Product product_;
};

}  // namespace gpuprobe::cupti
