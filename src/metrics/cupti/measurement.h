// One measurement: runs a kernel on an open GPU and gathers counters, lines, timing and the check of its
// result.
//
//   Result<Run> run = measure(*gpu, kernel, compiled, options);
#pragma once

#include <string>

#include "core/compiled_kernel.h"
#include "core/counter_source.h"
#include "core/kernel.h"
#include "core/result.h"
#include "core/run.h"
#include "metrics/cupti/gpu.h"

namespace gpuprobe::cupti {

/// Errors: kKernel if the kernel cannot launch, faults or does not end in time (the GPU is lost to this
/// process then: see Gpu::lost); kMachine if counters cannot be read.
Result<Run> measure(Gpu& gpu, const Kernel& kernel, const CompiledKernel& compiled,
                    const CollectOptions& options);

/// Runs `kernel` once without counting and returns its buffers. Errors as of measure().
Result<HostBuffers> run_plainly(Gpu& gpu, const Kernel& kernel, const CompiledKernel& compiled,
                                const CollectOptions& options);

}  // namespace gpuprobe::cupti
