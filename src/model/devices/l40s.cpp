#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec l40s_device();

DeviceSpec l40s_device() {
  DeviceSpec device = compute_capability(8, 9);
  device.name = "NVIDIA L40S";
  device.chip = "ad102";
  device.sm_count = 142;
  device.rates.sm_clock_hz = 2.52e9;
  device.rates.dram_bytes_per_second = 864e9;
  device.rates.fp32_flops_per_second = 91.6e12;
  device.rates.l2_capacity_bytes = 96.0 * 1024 * 1024;
  device.rates.source =
      "NVIDIA L40S data sheet (864 GB/s, 91.6 TFLOP/s), Ada whitepaper (L2), product brief (boost clock); "
      "per-SM rates: 32 banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
