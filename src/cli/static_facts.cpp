#include "cli/static_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "metrics/catalog.h"
#include "model/occupancy/calculator.h"

namespace gpuprobe::cli {
namespace {

/// A distinct launch of a run and how many threads it starts in all.
struct Weighted {
  const Step* step = nullptr;
  std::uint64_t threads = 0;
};

std::vector<Weighted> distinct_steps(const std::vector<Step>& steps) {
  std::vector<Weighted> distinct;
  for (const Step& step : steps) {
    const std::uint64_t threads = step.launch.grid.count() * step.launch.block.count();
    const auto same = std::find_if(distinct.begin(), distinct.end(), [&step](const Weighted& other) {
      return other.step->entry == step.entry && other.step->launch == step.launch;
    });
    if (same != distinct.end()) {
      same->threads += threads;
    } else {
      distinct.push_back({&step, threads});
    }
  }
  std::stable_sort(distinct.begin(), distinct.end(),
                   [](const Weighted& a, const Weighted& b) { return a.threads > b.threads; });
  return distinct;
}

occupancy::Usage usage_of(const Step& step, const FunctionResources& resources) {
  return {static_cast<int>(step.launch.block.count()), resources.registers, resources.shared_static,
          step.launch.dynamic_shared, resources.barriers};
}

std::string limiter_text(const OccupancyTable& table) {
  std::string text;
  for (Resource limiter : table.limiters)
    text += (text.empty() ? "" : ", ") + std::string(to_string(limiter));
  return text;
}

/// Sets a metric with the unit that the catalog gives it.
class Setter {
 public:
  explicit Setter(Run& run) : run_(run) {}
  void operator()(const std::string& name, std::variant<double, std::string> value) const {
    const MetricRow* row = find_metric(name);
    run_.counters.set(name, {std::move(value), row ? row->unit : Unit::kNone, run_.source, {}});
  }

 private:
  Run& run_;
};

}  // namespace

std::vector<OccupancyTable> occupancy_tables(const std::vector<Step>& steps, const CompiledKernel& compiled,
                                             const DeviceSpec& device) {
  std::vector<OccupancyTable> tables;
  for (const Weighted& weighted : distinct_steps(steps)) {
    const FunctionResources* resources = compiled.find(weighted.step->entry);
    if (!resources) continue;
    tables.push_back(
        occupancy::table(device, usage_of(*weighted.step, *resources), weighted.step->launch.grid.count()));
  }
  return tables;
}

Status check_launches(const Kernel& kernel, const CompiledKernel& compiled, const DeviceSpec& device) {
  for (const Weighted& weighted : distinct_steps(kernel.steps)) {
    const FunctionResources* resources = compiled.find(weighted.step->entry);
    if (!resources)
      return fail(ErrorCode::kDefect, "the compiled code has no entry '" + weighted.step->entry + "'",
                  "please report it with the command line that you typed");
    const occupancy::Usage usage = usage_of(*weighted.step, *resources);
    const OccupancyTable table = occupancy::table(device, usage, weighted.step->launch.grid.count());
    if (table.blocks_per_sm > 0) continue;
    return fail(
        ErrorCode::kKernel,
        fmt::format("not one block of {} fits on an SM of {}: {} threads, {} registers a thread, {} bytes of "
                    "shared memory; the limit is {}",
                    weighted.step->entry, device.name, usage.threads_per_block, usage.registers_per_thread,
                    usage.shared_static + usage.shared_dynamic, limiter_text(table)),
        "use a smaller block or tile; gpuprobe occupancy shows the limits");
  }
  return {};
}

void add_static_facts(Run& run, const CompiledKernel& compiled) {
  run.resources = compiled.functions;
  run.occupancy = occupancy_tables(run.steps, compiled, run.device);
  const std::vector<Weighted> steps = distinct_steps(run.steps);
  if (steps.empty() || run.occupancy.empty()) return;
  const Step& step = *steps.front().step;
  const OccupancyTable& table = run.occupancy.front();
  const Setter set(run);
  if (const FunctionResources* resources = compiled.find(step.entry)) {
    set("launch.registers", double(resources->registers));
    set("launch.shared_static", double(resources->shared_static));
    set("launch.local_bytes", double(resources->local_bytes));
  }
  set("launch.shared_dynamic", double(step.launch.dynamic_shared));
  set("launch.block_threads", double(step.launch.block.count()));
  set("launch.grid_blocks", double(step.launch.grid.count()));
  set("launch.waves", table.waves);
  set("launch.steps", double(run.steps.size()));
  set("occupancy.theoretical", table.theoretical_percent);
  set("occupancy.limiter", limiter_text(table));
  set("occupancy.blocks_per_sm", double(table.blocks_per_sm));
  for (const ResourceLimit& limit : table.limits)
    set("occupancy.blocks_per_sm." + std::string(to_string(limit.resource)), double(limit.blocks));
}

}  // namespace gpuprobe::cli
