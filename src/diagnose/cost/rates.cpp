#include "diagnose/cost/rates.h"

namespace gpuprobe::diagnose {
namespace {

/// SM clocks under load of the GPUs from Turing to Blackwell lie between 1.4 and 2.5 GHz.
constexpr double kAssumedClockHz = 1.8e9;
/// DRAM bytes per cycle and SM: 2.4 (L40S) to 18 (H200); the geometric middle.
constexpr double kAssumedDramBytesPerCycleAndSm = 6.6;
/// L2 delivers more than DRAM: 8.2 against 4.8 TB/s on an H200.
constexpr double kAssumedL2PerDram = 1.7;
/// One wavefront and one tag look-up a cycle: measured on an H200 (recorded bank_pitch32: 65,600 wavefronts
/// an SM in 66,000 cycles; mm_naive_swapped: 8.4 million lines an SM at 96 % of 8.8 million cycles). The
/// banks are 32 x 4 bytes on every GPU that is supported.
constexpr double kAssumedWavefrontsPerCycle = 1.0;
constexpr double kAssumedTagLinesPerCycle = 1.0;
/// Round trip to DRAM without load, as measured on an H200 (650 to 675 cycles).
constexpr double kAssumedDramLatencyCycles = 660.0;

double or_else(double value, double otherwise) {
  return value > 0 ? value : otherwise;
}

}  // namespace

Rates rates_of(const DeviceSpec& device) {
  Rates rates;
  rates.known = device.rates.sm_clock_hz > 0 && device.rates.dram_bytes_per_second > 0 && device.sm_count > 0;
  rates.sms = device.sm_count > 0 ? device.sm_count : 1;
  rates.clock_hz = or_else(device.rates.sm_clock_hz, kAssumedClockHz);
  rates.dram_bytes_per_second = or_else(device.rates.dram_bytes_per_second,
                                        kAssumedDramBytesPerCycleAndSm * rates.clock_hz * rates.sms);
  rates.l2_bytes_per_second =
      or_else(device.rates.l2_bytes_per_second, kAssumedL2PerDram * rates.dram_bytes_per_second);
  rates.wavefronts_per_cycle = or_else(device.rates.lsu_wavefronts_per_cycle, kAssumedWavefrontsPerCycle);
  rates.tag_lines_per_cycle = or_else(device.rates.l1_tag_requests_per_cycle, kAssumedTagLinesPerCycle);
  rates.issue_per_cycle = or_else(device.rates.issue_slots_per_cycle, device.sub_partitions);
  rates.dram_latency_cycles = or_else(device.rates.dram_latency_cycles, kAssumedDramLatencyCycles);
  rates.l2_capacity_bytes = device.rates.l2_capacity_bytes;
  return rates;
}

}  // namespace gpuprobe::diagnose
