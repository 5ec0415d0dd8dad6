#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec rtx_4090_device();

DeviceSpec rtx_4090_device() {
  DeviceSpec device = compute_capability(8, 9);
  device.name = "NVIDIA GeForce RTX 4090";
  device.chip = "ad102";
  device.sm_count = 128;
  device.representative = true;
  device.rates.sm_clock_hz = 2.52e9;
  device.rates.dram_bytes_per_second = 1008e9;
  device.rates.fp32_flops_per_second = 82.6e12;
  device.rates.l2_capacity_bytes = 72.0 * 1024 * 1024;
  device.rates.source =
      "NVIDIA Ada whitepaper, table of GeForce RTX 4090 (boost clock, 1,008 GB/s, 82.6 TFLOP/s, L2); per-SM "
      "rates: 32 banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
