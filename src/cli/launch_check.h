// Whether the launches of a kernel can run at all, asked before anything is executed.
//
//   if (Status possible = check_launches(kernel, compiled, device); !possible) ...
#pragma once

#include "core/compiled_kernel.h"
#include "core/device_spec.h"
#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe::cli {

/// Errors: kKernel if not one block of a launch fits on an SM of `device`, with what it takes and the
/// resource that it exceeds.
Status check_launches(const Kernel& kernel, const CompiledKernel& compiled, const DeviceSpec& device);

}  // namespace gpuprobe::cli
