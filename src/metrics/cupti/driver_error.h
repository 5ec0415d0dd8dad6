// What a CUDA driver result means for the user: what happened, why, and what to do.
#pragma once

#include <cuda.h>

#include <string_view>

#include "core/result.h"

namespace gpuprobe::cupti {

/// The error for `result` while `doing` ("launching transpose_tile"). Faults of the kernel are kKernel,
/// everything that the machine causes is kMachine.
Error driver_error(CUresult result, std::string_view doing);

/// Success, or the error above.
inline Status check_driver(CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return {};
  return tl::unexpected(driver_error(result, doing));
}

}  // namespace gpuprobe::cupti
