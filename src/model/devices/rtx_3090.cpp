#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec rtx_3090_device();

DeviceSpec rtx_3090_device() {
  DeviceSpec device = compute_capability(8, 6);
  device.name = "NVIDIA GeForce RTX 3090";
  device.chip = "ga102";
  device.sm_count = 82;
  device.representative = true;
  device.rates.sm_clock_hz = 1.695e9;
  device.rates.dram_bytes_per_second = 936e9;
  device.rates.fp32_flops_per_second = 35.6e12;
  device.rates.l2_capacity_bytes = 6.0 * 1024 * 1024;
  device.rates.source =
      "NVIDIA GA102 whitepaper, table of GeForce RTX 3090 (boost clock, 936 GB/s, 35.6 TFLOP/s, L2); per-SM "
      "rates: 32 banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
