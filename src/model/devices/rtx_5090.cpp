#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec rtx_5090_device();

DeviceSpec rtx_5090_device() {
  DeviceSpec device = compute_capability(12, 0);
  device.name = "NVIDIA GeForce RTX 5090";
  device.chip = "gb202";
  device.sm_count = 170;
  device.representative = true;
  device.rates.sm_clock_hz = 2.407e9;
  device.rates.dram_bytes_per_second = 1792e9;
  device.rates.fp32_flops_per_second = 104.8e12;
  device.rates.l2_capacity_bytes = 96.0 * 1024 * 1024;
  device.rates.source =
      "NVIDIA RTX Blackwell whitepaper, table of GeForce RTX 5090 (boost clock, 1,792 GB/s, 104.8 TFLOP/s, "
      "L2); per-SM rates: 32 banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
