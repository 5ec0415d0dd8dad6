#include "metrics/recorded/nsight_readings.h"

#include <array>
#include <utility>

namespace gpuprobe::recorded {
namespace {

/// The details page prints its own names. Only those are listed that mean one metric, and one that gpuprobe
/// uses. Source: the section files of Nsight Compute 2025.3 and a recording that has both pages.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kDetailNames{{
    {"Duration", "gpu__time_duration.sum"},
    {"DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active"},
    {"Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio"},
    {"Executed Instructions", "smsp__inst_executed.sum"},
    {"Local Memory Spilling Requests", "derived__local_spilling_requests"},
    {"Registers Per Thread", "launch__registers_per_thread"},
    {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
    {"Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver"},
    {"Shared Memory Configuration Size", "launch__shared_mem_config_size"},
    {"Cluster Size", "launch__cluster_size"},
    {"Waves Per SM", "launch__waves_per_multiprocessor"},
    {"# SMs", "launch__sm_count"},
    {"Block Limit Barriers", "launch__occupancy_limit_barriers"},
    {"Block Limit SM", "launch__occupancy_limit_blocks"},
    {"Block Limit Registers", "launch__occupancy_limit_registers"},
    {"Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
    {"Block Limit Warps", "launch__occupancy_limit_warps"},
    {"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"},
    {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
}};

std::string_view raw_name(std::string_view metric) {
  for (const auto& [detail, raw] : kDetailNames)
    if (metric == detail) return raw;
  return metric;
}

/// Digits after the decimal sign, whichever it is.
std::size_t decimals(std::string_view cell, NumberStyle style) {
  const std::size_t at = cell.rfind(style == NumberStyle::kPointDecimal ? '.' : ',');
  return at == std::string_view::npos ? 0 : cell.size() - at - 1;
}

}  // namespace

Readings::Readings(const NsightLaunch& launch, NumberStyle style) {
  for (const NsightLaunch::Cell& cell : launch.cells) {
    Reading reading;
    reading.cell = cell.value;
    reading.number = parse_number(cell.value, style);
    const double factor = unit_factor(cell.unit);
    if (reading.number) *reading.number *= factor;
    // Six decimals of a K, M or G are exact for a whole number of bytes up to the G; two are not.
    reading.rounded = factor > 1 && decimals(cell.value, style) < 3;
    cells_.emplace(std::string(raw_name(cell.metric)), std::move(reading));
  }
}

std::optional<double> Readings::number(std::string_view metric) const {
  const auto it = cells_.find(metric);
  return it == cells_.end() ? std::nullopt : it->second.number;
}

std::optional<std::string> Readings::text(std::string_view metric) const {
  const auto it = cells_.find(metric);
  if (it == cells_.end() || it->second.cell.empty()) return std::nullopt;
  return it->second.cell;
}

bool Readings::is_rounded(std::string_view metric) const {
  const auto it = cells_.find(metric);
  return it != cells_.end() && it->second.rounded;
}

NumberStyle number_style_of(const std::vector<NsightLaunch>& launches) {
  for (const NsightLaunch& launch : launches)
    for (const NsightLaunch::Cell& cell : launch.cells)
      if (const auto style = hint_of(cell.value)) return *style;
  return NumberStyle::kPointDecimal;
}

}  // namespace gpuprobe::recorded
