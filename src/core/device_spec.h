// What a GPU offers: residency limits per SM and the rates that bound a kernel. One file under model/devices/
// makes one of these for each GPU that can be predicted; a live GPU fills one from the driver's answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/calibration.h"

namespace gpuprobe {

/// Peak rates. Each is 0 when it is not known for this device; `source` says where the numbers come from.
struct DeviceRates {
  double sm_clock_hz = 0;                ///< SM clock under load
  double dram_bytes_per_second = 0;      ///< peak DRAM bandwidth
  double l2_bytes_per_second = 0;        ///< L2 to SM bandwidth, all SMs together
  double fp32_flops_per_second = 0;      ///< peak FP32 (FMA = 2) without tensor cores
  double lsu_wavefronts_per_cycle = 0;   ///< per SM: shared-memory data-stage wavefronts
  double l1_tag_requests_per_cycle = 0;  ///< per SM: L1 tag lookups, one for each line of a request
  double l1_sectors_per_cycle = 0;       ///< per SM: global sectors through the L1 data stage
  double issue_slots_per_cycle = 0;      ///< per SM: instructions issued
  double l2_capacity_bytes = 0;
  double dram_latency_cycles = 0;
  std::string source;
};

struct DeviceSpec {
  std::string name;  ///< "NVIDIA H200"
  std::string arch;  ///< "sm_90"
  std::string chip;  ///< CUPTI chip name, "gh100"
  int cc_major = 0;
  int cc_minor = 0;
  int sm_count = 0;

  int max_threads_per_block = 1024;
  int max_warps_per_sm = 0;
  int max_blocks_per_sm = 0;
  int max_barriers_per_sm = 0;   ///< 0 = unknown
  int registers_per_sm = 65536;  ///< 32-bit registers
  int registers_per_block = 65536;
  int register_unit_per_warp = 256;  ///< registers are given to a warp in multiples of this
  int sub_partitions = 4;            ///< schedulers per SM; registers and warps are split among them
  int max_registers_per_thread = 255;
  int shared_per_sm = 0;              ///< bytes
  int shared_per_block = 49152;       ///< bytes without opt-in
  int shared_per_block_optin = 0;     ///< bytes with opt-in
  int shared_reserved_per_block = 0;  ///< bytes the system takes for each block (1024 from CC 8.0)
  int shared_unit = 128;              ///< allocation granularity in bytes
  std::vector<int> carveouts_kib;     ///< shared-memory carve-outs the driver can choose, ascending
  bool representative = false;        ///< stands for its arch when only the arch is named

  DeviceRates rates;
  std::optional<Calibration> calibration;  ///< unit costs measured on such a device; nullopt = none known
};

}  // namespace gpuprobe
