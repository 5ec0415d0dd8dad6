// What is known of a run without counting anything: its launches, the resources of its functions, and the
// occupancy that follows. The same for every source.
//
//   add_static_facts(run, compiled);       // run.occupancy, launch.*, occupancy.* (all but achieved)
#pragma once

#include <vector>

#include "core/compiled_kernel.h"
#include "core/device_spec.h"
#include "core/kernel.h"
#include "core/result.h"
#include "core/run.h"

namespace gpuprobe::cli {

/// One table for each distinct (entry, launch) of `steps`, the one with the most threads over all its
/// launches first.
std::vector<OccupancyTable> occupancy_tables(const std::vector<Step>& steps, const CompiledKernel& compiled,
                                             const DeviceSpec& device);

/// Errors: kKernel if a launch could not run on `device` at all, naming the resource that it exceeds.
Status check_launches(const Kernel& kernel, const CompiledKernel& compiled, const DeviceSpec& device);

/// Sets run.occupancy, run.resources and the launch.* and occupancy.* metrics of the heaviest launch.
void add_static_facts(Run& run, const CompiledKernel& compiled);

}  // namespace gpuprobe::cli
