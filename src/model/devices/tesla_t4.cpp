#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec tesla_t4_device();

DeviceSpec tesla_t4_device() {
  DeviceSpec device = compute_capability(7, 5);
  device.name = "Tesla T4";
  device.chip = "tu104";
  device.sm_count = 40;
  device.representative = true;
  device.rates.sm_clock_hz = 1.59e9;
  device.rates.dram_bytes_per_second = 320e9;
  device.rates.fp32_flops_per_second = 8.1e12;
  device.rates.l2_capacity_bytes = 4.0 * 1024 * 1024;
  device.rates.source =
      "NVIDIA T4 data sheet and product brief (boost clock, 320 GB/s, 8.1 TFLOP/s), Turing whitepaper (L2); "
      "per-SM rates: 32 banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
