#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec rtx_pro_6000_device();

DeviceSpec rtx_pro_6000_device() {
  DeviceSpec device = compute_capability(12, 0);
  device.name = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition";
  device.chip = "gb202";
  device.sm_count = 188;
  device.rates.dram_bytes_per_second = 1792e9;
  device.rates.fp32_flops_per_second = 125e12;
  device.rates.source =
      "NVIDIA RTX PRO 6000 Blackwell Workstation Edition data sheet (1,792 GB/s, 125 TFLOP/s); per-SM rates: "
      "32 banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
