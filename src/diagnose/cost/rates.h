// The rates that the cost model divides work by: those of the device, with general values where it states
// none.
#pragma once

#include "core/device_spec.h"

namespace gpuprobe::diagnose {

struct Rates {
  double clock_hz = 0;
  double dram_bytes_per_second = 0;
  double l2_bytes_per_second = 0;
  double wavefronts_per_cycle = 0;  ///< per SM, shared-memory data stage
  double tag_lines_per_cycle = 0;   ///< per SM, L1 tag stage
  double issue_per_cycle = 0;       ///< per SM
  double dram_latency_cycles = 0;
  double l2_capacity_bytes = 0;  ///< 0 = unknown
  double sms = 1;
  bool known = true;  ///< false: clock or DRAM bandwidth had to be assumed
};

Rates rates_of(const DeviceSpec& device);

}  // namespace gpuprobe::diagnose
