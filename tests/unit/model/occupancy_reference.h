// The toolkit's own occupancy calculator, driven with the limits of a DeviceSpec.
#pragma once

#include <cuda_occupancy.h>

#include <stdexcept>

#include "model/devices/devices.h"
#include "model/occupancy/calculator.h"

namespace gpuprobe::testing {

inline cudaOccDeviceProp occupancy_properties(const DeviceSpec& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.cc_major;
  properties.computeMinor = device.cc_minor;
  properties.maxThreadsPerBlock = device.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = device.max_warps_per_sm * 32;
  properties.regsPerBlock = device.registers_per_block;
  properties.regsPerMultiprocessor = device.registers_per_sm;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = static_cast<std::size_t>(device.shared_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_per_sm);
  properties.numSms = device.sm_count;
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_per_block_optin);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(device.shared_reserved_per_block);
  return properties;
}

/// What cuda_occupancy.h says of a launch whose dynamic shared memory was opted in; `carveout_percent` as in
/// cudaFuncAttributePreferredSharedMemoryCarveout, -1 = default.
inline cudaOccResult toolkit_occupancy(const DeviceSpec& device, const occupancy::Usage& usage,
                                       int carveout_percent = -1) {
  const cudaOccDeviceProp properties = occupancy_properties(device);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = device.max_threads_per_block;
  attributes.numRegs = usage.registers_per_thread;
  attributes.sharedSizeBytes = usage.shared_static;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = usage.shared_dynamic;
  attributes.numBlockBarriers = usage.barriers;
  cudaOccDeviceState state;
  state.carveoutConfig = carveout_percent;
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, usage.threads_per_block, usage.shared_dynamic);
  if (error != CUDA_OCC_SUCCESS) throw std::runtime_error("cuda_occupancy.h refused the input");
  return result;
}

}  // namespace gpuprobe::testing
