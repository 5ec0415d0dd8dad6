#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec a10_device();

DeviceSpec a10_device() {
  DeviceSpec device = compute_capability(8, 6);
  device.name = "NVIDIA A10";
  device.chip = "ga102";
  device.sm_count = 72;
  device.rates.sm_clock_hz = 1.695e9;
  device.rates.dram_bytes_per_second = 600e9;
  device.rates.fp32_flops_per_second = 31.2e12;
  device.rates.l2_capacity_bytes = 6.0 * 1024 * 1024;
  device.rates.source =
      "NVIDIA A10 data sheet (600 GB/s, 31.2 TFLOP/s) and product brief (boost clock); per-SM rates: 32 "
      "banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
