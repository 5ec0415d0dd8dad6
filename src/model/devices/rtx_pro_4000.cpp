#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec rtx_pro_4000_device();

DeviceSpec rtx_pro_4000_device() {
  DeviceSpec device = compute_capability(12, 0);
  device.name = "NVIDIA RTX PRO 4000 Blackwell";
  device.chip = "gb203";
  device.sm_count = 70;
  device.rates.dram_bytes_per_second = 672e9;
  device.rates.source =
      "NVIDIA RTX PRO 4000 Blackwell data sheet (672 GB/s); per-SM rates: 32 banks, four schedulers (CUDA "
      "C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
