// Residency limits and per-SM rates that depend on the compute capability alone. Sources: cuda_occupancy.h of
// the CUDA toolkit 13.0 (limits, granularities, carve-outs, barriers) and the table "Technical specifications
// per compute capability" of the CUDA C++ Programming Guide (shared memory sizes, warps, threads).
//
//   DeviceSpec device = compute_capability(9, 0);   // then name, chip, SM count and device rates
#pragma once

#include <string>
#include <vector>

#include "core/device_spec.h"

namespace gpuprobe {

namespace detail {

inline void set_residency(DeviceSpec& device, int warps, int blocks, int shared_kib,
                          std::vector<int> carveouts_kib) {
  device.max_warps_per_sm = warps;
  device.max_blocks_per_sm = blocks;
  device.shared_per_sm = shared_kib * 1024;
  device.carveouts_kib = std::move(carveouts_kib);
}

}  // namespace detail

/// A DeviceSpec with everything that the compute capability says: 7.5, 8.0, 8.6, 8.9, 9.0, 10.0 or 12.0.
/// For any other the limits stay 0, so that nothing fits.
inline DeviceSpec compute_capability(int major, int minor) {
  DeviceSpec device;
  device.cc_major = major;
  device.cc_minor = minor;
  device.arch = "sm_" + std::to_string(major * 10 + minor);
  switch (major * 10 + minor) {
    case 75:
      detail::set_residency(device, 32, 16, 64, {32, 64});
      break;
    case 80:
      detail::set_residency(device, 64, 32, 164, {0, 8, 16, 32, 64, 100, 132, 164});
      break;
    case 86:
      detail::set_residency(device, 48, 16, 100, {0, 8, 16, 32, 64, 100});
      break;
    case 89:
      detail::set_residency(device, 48, 24, 100, {0, 8, 16, 32, 64, 100});
      break;
    case 90:
    case 100:
      detail::set_residency(device, 64, 32, 228, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228});
      break;
    case 120:
      detail::set_residency(device, 48, 24, 100, {0, 8, 16, 32, 64, 100});
      break;
    default:
      return device;
  }
  // From 8.0 on the system takes 1 KiB of each block, so a block can have 1 KiB less than the SM.
  device.shared_reserved_per_block = major >= 8 ? 1024 : 0;
  device.shared_per_block_optin = device.shared_per_sm - device.shared_reserved_per_block;
  device.shared_unit = major >= 8 ? 128 : 256;
  // Barriers limit residency from 9.0 on: two for each block slot, one on 12.0.
  if (major >= 9) device.max_barriers_per_sm = device.max_blocks_per_sm * (major == 12 ? 1 : 2);

  device.rates.lsu_wavefronts_per_cycle = 1;  // a wavefront is one pass over the 32 banks
  device.rates.issue_slots_per_cycle = 4;     // four schedulers, one instruction each
  return device;
}

}  // namespace gpuprobe
