#include "diagnose/cure/usage.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpuprobe::diagnose {

std::optional<occupancy::Usage> usage_of(const Run& run) {
  if (run.occupancy.empty() || run.device.max_warps_per_sm <= 0) return std::nullopt;
  const OccupancyTable& table = run.occupancy.front();
  const auto function =
      std::find_if(run.resources.begin(), run.resources.end(), [&table](const FunctionResources& resources) {
        return table.entry.empty() || resources.name_expression == table.entry;
      });
  occupancy::Usage usage;
  usage.threads_per_block = table.threads_per_block;
  usage.registers_per_thread = table.registers_per_thread;
  usage.shared_dynamic = run.main_launch().dynamic_shared;
  if (function != run.resources.end()) {
    usage.shared_static = function->shared_static;
    usage.barriers = function->barriers;
  } else {
    // A recording without resources: the table's bytes hold the reserved part and the rounding as well.
    const auto reserved = static_cast<std::uint32_t>(run.device.shared_reserved_per_block);
    const std::uint32_t all = table.shared_per_block > reserved ? table.shared_per_block - reserved : 0;
    usage.shared_static = all > usage.shared_dynamic ? all - usage.shared_dynamic : 0;
  }
  return usage;
}

std::string residency_after(const Run& run, std::uint32_t extra) {
  auto usage = usage_of(run);
  if (!usage) return "";
  const std::uint64_t blocks = run.main_launch().grid.count();
  const int before = occupancy::table(run.device, *usage, blocks).blocks_per_sm;
  usage->shared_static += extra;
  const int after = occupancy::table(run.device, *usage, blocks).blocks_per_sm;
  if (after <= 0) return "a block then takes more shared memory than it may have";
  const char* noun = after == 1 ? "block" : "blocks";
  return after == before ? fmt::format("{} {} per SM as before", after, noun)
                         : fmt::format("{} {} per SM in place of {}", after, noun, before);
}

}  // namespace gpuprobe::diagnose
