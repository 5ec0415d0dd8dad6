// Equality of runs, field by field, for tests that read back what was written. -0.0 and 0.0 differ here.
#pragma once

#include <gtest/gtest.h>

#include <bit>

#include "core/run.h"

namespace gpuprobe::test {

inline bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same(const LanePattern& a, const LanePattern& b) {
  return a.address == b.address && a.active == b.active && a.width == b.width;
}

inline bool same(const Site& a, const Site& b) {
  if (a.worst.has_value() != b.worst.has_value() || (a.worst && !same(*a.worst, *b.worst))) return false;
  return a.file == b.file && a.line == b.line && a.function == b.function && a.instruction == b.instruction &&
         a.access == b.access && a.width == b.width && same(a.requests, b.requests) &&
         same(a.actual, b.actual) && same(a.ideal, b.ideal) && same(a.lines, b.lines) &&
         same(a.active_lanes, b.active_lanes) && same(a.misaligned_excess, b.misaligned_excess) &&
         same(a.same_address_lanes, b.same_address_lanes) && a.depends_on_merging == b.depends_on_merging;
}

inline bool same(const Step& a, const Step& b) {
  return a.entry == b.entry && a.kind == b.kind && a.launch == b.launch;
}

inline bool same(const FunctionResources& a, const FunctionResources& b) {
  return a.name_expression == b.name_expression && a.lowered_name == b.lowered_name &&
         a.registers == b.registers && a.shared_static == b.shared_static && a.local_bytes == b.local_bytes &&
         a.barriers == b.barriers && a.max_threads == b.max_threads && a.parameter_bytes == b.parameter_bytes;
}

inline bool same(const OccupancyTable& a, const OccupancyTable& b) {
  if (a.limits.size() != b.limits.size() || a.at_carveouts.size() != b.at_carveouts.size()) return false;
  for (std::size_t i = 0; i < a.limits.size(); ++i)
    if (a.limits[i].resource != b.limits[i].resource || a.limits[i].blocks != b.limits[i].blocks)
      return false;
  for (std::size_t i = 0; i < a.at_carveouts.size(); ++i)
    if (a.at_carveouts[i].carveout_kib != b.at_carveouts[i].carveout_kib ||
        a.at_carveouts[i].blocks_per_sm != b.at_carveouts[i].blocks_per_sm)
      return false;
  return a.entry == b.entry && a.threads_per_block == b.threads_per_block &&
         a.warps_per_block == b.warps_per_block && a.registers_per_thread == b.registers_per_thread &&
         a.shared_per_block == b.shared_per_block && a.blocks_per_sm == b.blocks_per_sm &&
         a.limiters == b.limiters && same(a.theoretical_percent, b.theoretical_percent) &&
         same(a.waves, b.waves) && a.carveout_kib == b.carveout_kib;
}

inline bool same(const Hazard& a, const Hazard& b) {
  if (a.locations.size() != b.locations.size()) return false;
  for (std::size_t i = 0; i < a.locations.size(); ++i)
    if (a.locations[i].file != b.locations[i].file || a.locations[i].line != b.locations[i].line)
      return false;
  return a.kind == b.kind && a.text == b.text && a.count == b.count;
}

inline bool same(const KernelCure& a, const KernelCure& b) {
  return a.finding == b.finding && a.options == b.options && a.text == b.text;
}

inline bool same(const Metric& a, const Metric& b) {
  if (a.index() != b.index()) return false;
  if (const auto* missing = std::get_if<Missing>(&a)) return missing->reason == std::get<Missing>(b).reason;
  const Value& x = std::get<Value>(a);
  const Value& y = std::get<Value>(b);
  if (x.unit != y.unit || x.origin != y.origin || x.counters != y.counters ||
      x.value.index() != y.value.index())
    return false;
  if (const auto* text = std::get_if<std::string>(&x.value)) return *text == std::get<std::string>(y.value);
  return same(std::get<double>(x.value), std::get<double>(y.value));
}

inline bool same(const Counters& a, const Counters& b) {
  if (a.all().size() != b.all().size()) return false;
  for (const auto& [name, metric] : a.all())
    if (const Metric* other = b.find(name); !other || !same(metric, *other)) return false;
  return true;
}

inline bool same(const Environment& a, const Environment& b) {
  return a.gpuprobe_version == b.gpuprobe_version && a.device == b.device && a.arch == b.arch &&
         a.driver == b.driver && a.cuda == b.cuda && a.cupti == b.cupti && a.compiler == b.compiler &&
         a.date == b.date;
}

inline bool same(const DeviceRates& a, const DeviceRates& b) {
  return same(a.sm_clock_hz, b.sm_clock_hz) && same(a.dram_bytes_per_second, b.dram_bytes_per_second) &&
         same(a.l2_bytes_per_second, b.l2_bytes_per_second) &&
         same(a.fp32_flops_per_second, b.fp32_flops_per_second) &&
         same(a.lsu_wavefronts_per_cycle, b.lsu_wavefronts_per_cycle) &&
         same(a.l1_tag_requests_per_cycle, b.l1_tag_requests_per_cycle) &&
         same(a.l1_sectors_per_cycle, b.l1_sectors_per_cycle) &&
         same(a.issue_slots_per_cycle, b.issue_slots_per_cycle) &&
         same(a.l2_capacity_bytes, b.l2_capacity_bytes) &&
         same(a.dram_latency_cycles, b.dram_latency_cycles) && a.source == b.source;
}

inline bool same(const DeviceSpec& a, const DeviceSpec& b) {
  return a.name == b.name && a.arch == b.arch && a.chip == b.chip && a.cc_major == b.cc_major &&
         a.cc_minor == b.cc_minor && a.sm_count == b.sm_count &&
         a.max_threads_per_block == b.max_threads_per_block && a.max_warps_per_sm == b.max_warps_per_sm &&
         a.max_blocks_per_sm == b.max_blocks_per_sm && a.max_barriers_per_sm == b.max_barriers_per_sm &&
         a.registers_per_sm == b.registers_per_sm && a.registers_per_block == b.registers_per_block &&
         a.register_unit_per_warp == b.register_unit_per_warp && a.sub_partitions == b.sub_partitions &&
         a.max_registers_per_thread == b.max_registers_per_thread && a.shared_per_sm == b.shared_per_sm &&
         a.shared_per_block == b.shared_per_block && a.shared_per_block_optin == b.shared_per_block_optin &&
         a.shared_reserved_per_block == b.shared_reserved_per_block && a.shared_unit == b.shared_unit &&
         a.carveouts_kib == b.carveouts_kib && a.representative == b.representative &&
         same(a.rates, b.rates) && a.calibration == b.calibration;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

inline void expect_same(const Run& a, const Run& b) {
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.options, b.options);
  EXPECT_TRUE(same(a.steps, b.steps));
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.recorded_from, b.recorded_from);
  EXPECT_TRUE(same(a.device, b.device));
  EXPECT_TRUE(same(a.environment, b.environment));
  EXPECT_TRUE(same(a.resources, b.resources));
  EXPECT_TRUE(same(a.counters, b.counters));
  EXPECT_TRUE(same(a.sites, b.sites));
  EXPECT_TRUE(same(a.occupancy, b.occupancy));
  EXPECT_EQ(a.check.state, b.check.state);
  EXPECT_EQ(a.check.text, b.check.text);
  EXPECT_EQ(a.check.compared, b.check.compared);
  EXPECT_EQ(a.check.wrong, b.check.wrong);
  EXPECT_TRUE(same(a.check.worst_error, b.check.worst_error));
  EXPECT_TRUE(same(a.hazards, b.hazards));
  EXPECT_EQ(a.sampling.has_value(), b.sampling.has_value());
  if (a.sampling && b.sampling) {
    EXPECT_EQ(a.sampling->blocks_total, b.sampling->blocks_total);
    EXPECT_EQ(a.sampling->blocks_executed, b.sampling->blocks_executed);
    EXPECT_EQ(a.sampling->timed_out, b.sampling->timed_out);
  }
  EXPECT_EQ(a.timing.has_value(), b.timing.has_value());
  if (a.timing && b.timing) {
    EXPECT_TRUE(same(a.timing->median_s, b.timing->median_s));
    EXPECT_TRUE(same(a.timing->min_s, b.timing->min_s));
    EXPECT_TRUE(same(a.timing->max_s, b.timing->max_s));
    EXPECT_EQ(a.timing->repeats, b.timing->repeats);
  }
  EXPECT_TRUE(same(a.cures, b.cures));
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_TRUE(same(a.useful_bytes, b.useful_bytes));
  EXPECT_TRUE(same(a.useful_flops, b.useful_flops));
}

}  // namespace gpuprobe::test
