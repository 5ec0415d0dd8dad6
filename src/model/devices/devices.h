// GPUs that can be predicted. To add one: a file <name>.cpp here that defines `DeviceSpec <name>_device()`;
// CMake writes the registry. Residency limits depend on the compute capability alone and come from limits.h.
//
//   const DeviceSpec* device = device_for_arch("sm_90");   // device->name == "NVIDIA H200"
#pragma once

#include <string_view>
#include <vector>

#include "core/device_spec.h"

namespace gpuprobe {

/// All known devices, sorted by compute capability then name.
const std::vector<DeviceSpec>& known_devices();
/// The representative device of "sm_90" (the H200) and so on, or nullptr. Exactly one device of each arch is
/// it.
const DeviceSpec* device_for_arch(std::string_view arch);
/// The device of this name ("NVIDIA H200", as the driver reports it), or nullptr. Never a near match.
const DeviceSpec* device_by_name(std::string_view name);

}  // namespace gpuprobe
