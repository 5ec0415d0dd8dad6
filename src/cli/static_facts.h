// What is known of a run without counting anything: its launches, the resources of its functions, and the
// occupancy that follows. The same for every source.
//
//   add_static_facts(run, compiled);       // run.occupancy, launch.*, occupancy.* (all but achieved)
#pragma once

#include "core/compiled_kernel.h"
#include "core/device_spec.h"
#include "core/kernel.h"
#include "core/result.h"
#include "core/run.h"

namespace gpuprobe::cli {

/// Errors: kKernel if a launch could not run on `device` at all, naming the resource that it exceeds.
Status check_launches(const Kernel& kernel, const CompiledKernel& compiled, const DeviceSpec& device);

/// Sets run.resources from the compiled kernel, then what model/static_facts.h adds for any run.
void add_static_facts(Run& run, const CompiledKernel& compiled);

}  // namespace gpuprobe::cli
