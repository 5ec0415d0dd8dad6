// What the driver says about a device, as the DeviceSpec that the rest of gpuprobe works with.
#pragma once

#include <string>

#include "core/device_spec.h"
#include "core/result.h"
#include "metrics/cupti/driver_api.h"

namespace gpuprobe::cupti {

/// Limits, counts and the rates that the driver's attributes give (SM clock, DRAM bandwidth, L2 capacity);
/// the chip name is left empty. Errors: kMachine.
Result<DeviceSpec> device_facts(const DriverApi& driver, CUdevice device);

/// Shared-memory carve-outs in KiB that the driver can choose on a compute capability, ascending; empty if
/// not known. Source: CUDA C++ Programming Guide, "Compute Capabilities", shared memory of each architecture.
std::vector<int> carveouts_of(int cc_major, int cc_minor);

}  // namespace gpuprobe::cupti
