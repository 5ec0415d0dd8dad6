#include "model/devices/devices.h"
#include "model/devices/limits.h"

namespace gpuprobe {

DeviceSpec h200_device();

DeviceSpec h200_device() {
  DeviceSpec device = compute_capability(9, 0);
  device.name = "NVIDIA H200";
  device.chip = "gh100";
  device.sm_count = 132;
  device.representative = true;
  device.rates.sm_clock_hz = 1.98e9;
  device.rates.dram_bytes_per_second = 4800e9;
  device.rates.fp32_flops_per_second = 66.9e12;
  device.rates.l2_capacity_bytes = 50.0 * 1024 * 1024;
  // Measured on the H200: 16.5 lines a load in mm_naive_swapped (tests/data/truth/kernels_h200.tsv) are 0.957
  // lines a cycle and SM at an L1 utilisation of 95.9 %.
  device.rates.l1_tag_requests_per_cycle = 1;
  // Measured on the H200 (driver 580, 1.98 GHz): reads of 32 to 48 MiB that stay in L2, and a pointer chase
  // through 0.5 to 4 GiB.
  device.rates.l2_bytes_per_second = 8200e9;
  device.rates.dram_latency_cycles = 660;
  device.rates.source =
      "NVIDIA H200 data sheet (4.8 TB/s, 67 TFLOP/s = 132 SMs x 128 lanes x 2 x 1.98 GHz), H100 whitepaper "
      "(50 MB of L2; the driver reports 60 MB); clock as the driver reports it; per-SM rates: 32 banks, four "
      "schedulers (CUDA C++ Programming Guide)";
  device.calibration =
      Calibration{{0.783, 1.117},
                  {0.349, 1.073},
                  {0.016, 0.548},
                  {1.066, 2.219},
                  {0.666, 1.150},
                  "NVIDIA H200, driver 580.159.04, CUPTI 13.0, 2026-11-30T10:21:14Z: gpuprobe "
                  "calibrate"};
  return device;
}

}  // namespace gpuprobe
