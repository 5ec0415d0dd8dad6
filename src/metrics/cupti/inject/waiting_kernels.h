// Kernels that wait for other GPUs or processes (NCCL). One that is still running may need what this process
// will only launch later: whoever waited for it first would wait for ever.
//
//   waiting.launched(stream);              // after the launch of such a kernel
//   if (waiting.done_within(2s)) ...the GPU may be waited for...
#pragma once

#include <cuda.h>

#include <chrono>
#include <map>
#include <mutex>

#include "metrics/cupti/driver_api.h"

namespace gpuprobe::cupti {

class WaitingKernels {
 public:
  explicit WaitingKernels(const DriverApi& driver) : driver_(&driver) {}

  /// Marks the end of what is in `stream` now. Not while streams are being captured.
  void launched(CUstream stream);
  /// True as soon as all marks are passed; false if they are not after `limit`. Not while streams are being
  /// captured.
  bool done_within(std::chrono::milliseconds limit);
  /// A context goes, and with it what the marks may be of.
  void forget();

 private:
  bool done();

  const DriverApi* driver_;
  std::mutex mutex_;
  std::map<CUstream, CUevent> marks_;  ///< the last one of each stream
};

}  // namespace gpuprobe::cupti
