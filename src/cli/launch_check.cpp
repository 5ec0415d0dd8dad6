#include "cli/launch_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/occupancy/calculator.h"

namespace gpuprobe::cli {
namespace {

// More threads than any block can have; keeps the calculator's int in range.
constexpr std::uint64_t kAbsurdThreads = 1 << 20;

std::string limiter_text(const OccupancyTable& table) {
  std::vector<std::string_view> names;
  for (Resource limiter : table.limiters) names.push_back(to_string(limiter));
  return fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace

Status check_launches(const Kernel& kernel, const CompiledKernel& compiled, const DeviceSpec& device) {
  for (const Step& step : kernel.steps) {
    if (step.is_library_call()) continue;
    const FunctionResources* resources = compiled.find(step.entry);
    if (!resources)
      return fail(ErrorCode::kDefect, "the compiled code has no entry '" + step.entry + "'",
                  "please report it with the command line that you typed");
    const std::uint64_t threads = step.launch.block.count();
    const occupancy::Usage usage{static_cast<int>(std::min(threads, kAbsurdThreads)), resources->registers,
                                 resources->shared_static, step.launch.dynamic_shared, resources->barriers};
    const OccupancyTable table = occupancy::table(device, usage, step.launch.grid.count());
    if (table.blocks_per_sm > 0) continue;
    return fail(
        ErrorCode::kKernel,
        fmt::format(
            "not one block of {} fits on an SM of {}: it has {} threads, {} registers a thread and {} "
            "bytes of shared memory; the limit is {}",
            step.entry, device.name, threads, usage.registers_per_thread,
            std::uint64_t{usage.shared_static} + usage.shared_dynamic, limiter_text(table)),
        "use a smaller block or tile; gpuprobe occupancy shows the limits");
  }
  return {};
}

}  // namespace gpuprobe::cli
