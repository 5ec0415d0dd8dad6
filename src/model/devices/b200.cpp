#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec b200_device();

DeviceSpec b200_device() {
  DeviceSpec device = compute_capability(10, 0);
  device.name = "NVIDIA B200";
  device.chip = "gb100";
  device.sm_count = 148;
  device.representative = true;
  device.rates.dram_bytes_per_second = 8000e9;
  device.rates.fp32_flops_per_second = 75e12;
  device.rates.source =
      "NVIDIA HGX B200 data sheet, one of eight GPUs (8 TB/s, 75 TFLOP/s); per-SM rates: 32 banks, four "
      "schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
