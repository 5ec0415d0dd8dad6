#include "cli/static_facts.h"

#include <fmt/format.h>

#include "model/occupancy/calculator.h"
#include "model/static_facts.h"

namespace gpuprobe::cli {
namespace {

std::string limiter_text(const OccupancyTable& table) {
  std::string text;
  for (Resource limiter : table.limiters)
    text += (text.empty() ? "" : ", ") + std::string(to_string(limiter));
  return text;
}

}  // namespace

Status check_launches(const Kernel& kernel, const CompiledKernel& compiled, const DeviceSpec& device) {
  for (const Step& step : kernel.steps) {
    const FunctionResources* resources = compiled.find(step.entry);
    if (!resources)
      return fail(ErrorCode::kDefect, "the compiled code has no entry '" + step.entry + "'",
                  "please report it with the command line that you typed");
    const occupancy::Usage usage{static_cast<int>(step.launch.block.count()), resources->registers,
                                 resources->shared_static, step.launch.dynamic_shared, resources->barriers};
    const OccupancyTable table = occupancy::table(device, usage, step.launch.grid.count());
    if (table.blocks_per_sm > 0) continue;
    return fail(
        ErrorCode::kKernel,
        fmt::format("not one block of {} fits on an SM of {}: {} threads, {} registers a thread, {} bytes of "
                    "shared memory; the limit is {}",
                    step.entry, device.name, usage.threads_per_block, usage.registers_per_thread,
                    usage.shared_static + usage.shared_dynamic, limiter_text(table)),
        "use a smaller block or tile; gpuprobe occupancy shows the limits");
  }
  return {};
}

void add_static_facts(Run& run, const CompiledKernel& compiled) {
  run.resources = compiled.functions;
  gpuprobe::add_static_facts(run);
}

}  // namespace gpuprobe::cli
