#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec h100_device();

DeviceSpec h100_device() {
  DeviceSpec device = compute_capability(9, 0);
  device.name = "NVIDIA H100 80GB HBM3";
  device.chip = "gh100";
  device.sm_count = 132;
  device.rates.sm_clock_hz = 1.98e9;
  device.rates.dram_bytes_per_second = 3350e9;
  device.rates.fp32_flops_per_second = 66.9e12;
  device.rates.l2_capacity_bytes = 50.0 * 1024 * 1024;
  // Measured on the H200: 16.5 lines a load in mm_naive_swapped (tests/data/truth/kernels_h200.tsv) are 0.957
  // lines a cycle and SM at an L1 utilisation of 95.9 %.
  device.rates.l1_tag_requests_per_cycle = 1;
  device.rates.source =
      "NVIDIA H100 SXM data sheet (3.35 TB/s, 67 TFLOP/s), H100 whitepaper (L2); clock as the driver reports "
      "it; per-SM rates: 32 banks, four schedulers (CUDA C++ Programming Guide)";
  return device;
}

}  // namespace gpuprobe
