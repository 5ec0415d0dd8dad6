#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec a100_device();

DeviceSpec a100_device() {
  DeviceSpec device = compute_capability(8, 0);
  device.name = "NVIDIA A100-SXM4-80GB";
  device.chip = "ga100";
  device.sm_count = 108;
  device.representative = true;
  device.rates.sm_clock_hz = 1.41e9;
  device.rates.dram_bytes_per_second = 2039e9;
  device.rates.fp32_flops_per_second = 19.5e12;
  device.rates.l2_capacity_bytes = 40.0 * 1024 * 1024;
  device.rates.source =
      "NVIDIA A100 data sheet (2,039 GB/s, 19.5 TFLOP/s), A100 whitepaper (boost clock, L2); per-SM rates: "
      "32 banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
