// Occupancy drawn over one property of the launch at a time, the others held: where the steps are.
//
//   block size (now 256)
//      32  #############                       50 %
//      64  ##########################         100 %
#pragma once

#include <string>

#include "core/device_spec.h"
#include "model/occupancy/calculator.h"

namespace gpuprobe::cli {

/// Three bar charts: block size, registers, shared memory. Values that give the same answer share a line.
std::string occupancy_plot(const DeviceSpec& device, const occupancy::Usage& usage);

}  // namespace gpuprobe::cli
