// Where the libraries are that a profiled program loads.
#pragma once

#include <string>

#include "core/result.h"

namespace gpuprobe::cli {

/// libgpuprobe_inject.so: beside this executable (a build tree) or in ../lib/gpuprobe (an installation).
/// Errors: kMachine naming the places.
Result<std::string> injection_library();

/// The libcupti that follows a program's NVTX ranges. Errors: kMachine.
Result<std::string> nvtx_library();

}  // namespace gpuprobe::cli
