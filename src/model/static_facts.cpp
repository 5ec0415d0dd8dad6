#include "model/static_facts.h"

#include <algorithm>
#include <string>

#include "model/occupancy/calculator.h"

namespace gpuprobe {
namespace {

const FunctionResources* resources_of(const Run& run, const std::string& entry) {
  for (const FunctionResources& function : run.resources)
    if (function.name_expression == entry) return &function;
  return nullptr;
}

/// Distinct (entry, launch) pairs, most threads over all their launches first.
std::vector<Step> distinct_launches(const Run& run) {
  struct Weighted {
    Step step;
    std::uint64_t threads = 0;
  };
  std::vector<Weighted> distinct;
  for (const Step& step : run.steps) {
    const std::uint64_t threads = step.launch.grid.count() * step.launch.block.count();
    const auto same = std::find_if(distinct.begin(), distinct.end(), [&](const Weighted& other) {
      return other.step.entry == step.entry && other.step.launch == step.launch;
    });
    if (same != distinct.end()) {
      same->threads += threads;
    } else {
      distinct.push_back({{step.entry, step.launch, {}, step.kind}, threads});
    }
  }
  std::stable_sort(distinct.begin(), distinct.end(),
                   [](const Weighted& a, const Weighted& b) { return a.threads > b.threads; });
  std::vector<Step> launches;
  for (Weighted& weighted : distinct) launches.push_back(std::move(weighted.step));
  return launches;
}

class FactWriter {
 public:
  explicit FactWriter(Run& run) : run_(run) {}

  void number(const char* name, double value, Unit unit) {
    run_.counters.set(name, Value{value, unit, run_.source, {}});
  }
  void text(const char* name, std::string value) {
    run_.counters.set(name, Value{std::move(value), Unit::kNone, run_.source, {}});
  }
  /// Keeps what the source itself knows.
  void missing(const char* name, const std::string& reason) {
    if (!run_.counters.find(name)) run_.counters.set_missing(name, reason);
  }

 private:
  Run& run_;
};

constexpr const char* limit_metric(Resource resource) {
  switch (resource) {
    case Resource::kWarps:
      return "occupancy.blocks_per_sm.warps";
    case Resource::kBlocks:
      return "occupancy.blocks_per_sm.blocks";
    case Resource::kRegisters:
      return "occupancy.blocks_per_sm.registers";
    case Resource::kShared:
      return "occupancy.blocks_per_sm.shared";
    case Resource::kBarriers:
      return "occupancy.blocks_per_sm.barriers";
  }
  return "";
}

constexpr Resource kResources[] = {Resource::kWarps, Resource::kBlocks, Resource::kRegisters,
                                   Resource::kShared, Resource::kBarriers};

void write_geometry(FactWriter& facts, const Run& run, const Launch& launch) {
  facts.number("launch.steps", static_cast<double>(run.steps.size()), Unit::kNone);
  facts.number("launch.grid_blocks", static_cast<double>(launch.grid.count()), Unit::kBlock);
  facts.number("launch.block_threads", static_cast<double>(launch.block.count()), Unit::kThread);
  facts.number("launch.shared_dynamic", launch.dynamic_shared, Unit::kByte);
}

void write_resources(FactWriter& facts, const FunctionResources* resources) {
  if (!resources) {
    for (const char* name : {"launch.registers", "launch.shared_static", "launch.local_bytes"})
      facts.missing(name, "the compiled kernel is not at hand");
    return;
  }
  facts.number("launch.registers", resources->registers, Unit::kRegister);
  facts.number("launch.shared_static", resources->shared_static, Unit::kByte);
  facts.number("launch.local_bytes", resources->local_bytes, Unit::kByte);
}

void write_occupancy(FactWriter& facts, const OccupancyTable& table) {
  facts.number("occupancy.theoretical", table.theoretical_percent, Unit::kPercent);
  facts.number("occupancy.blocks_per_sm", table.blocks_per_sm, Unit::kBlock);
  if (table.blocks_per_sm > 0) {
    facts.number("launch.waves", table.waves, Unit::kRatio);
  } else {
    facts.missing("launch.waves", "no block fits on an SM");
  }
  std::string limiter;
  for (Resource resource : table.limiters) {
    if (!limiter.empty()) limiter += '+';
    limiter += to_string(resource);
  }
  facts.text("occupancy.limiter", limiter);
  for (Resource resource : kResources) {
    const auto row = std::find_if(table.limits.begin(), table.limits.end(),
                                  [&](const ResourceLimit& limit) { return limit.resource == resource; });
    if (row == table.limits.end()) {
      facts.missing(limit_metric(resource), "does not limit residency on this chip");
    } else if (row->blocks == kUnlimitedBlocks) {
      facts.missing(limit_metric(resource), "the kernel uses none, so it does not limit");
    } else {
      facts.number(limit_metric(resource), row->blocks, Unit::kBlock);
    }
  }
}

void miss_occupancy(FactWriter& facts, const std::string& reason) {
  for (const char* name :
       {"occupancy.theoretical", "occupancy.blocks_per_sm", "occupancy.limiter", "launch.waves"})
    facts.missing(name, reason);
  for (Resource resource : kResources) facts.missing(limit_metric(resource), reason);
}

/// Of what a library launches only the number of its calls is known.
void miss_library_facts(FactWriter& facts, const Run& run) {
  const std::string why = "the library chooses its kernels and their launches";
  facts.number("launch.steps", static_cast<double>(run.steps.size()), Unit::kNone);
  for (const char* name : {"launch.grid_blocks", "launch.block_threads", "launch.shared_dynamic",
                           "launch.registers", "launch.shared_static", "launch.local_bytes"})
    facts.missing(name, why);
  miss_occupancy(facts, why);
}

}  // namespace

void add_static_facts(Run& run) {
  FactWriter facts(run);
  const std::vector<Step> launches = distinct_launches(run);
  run.occupancy.clear();
  if (launches.empty()) {
    miss_occupancy(facts, "the run has no launch");
    return;
  }
  if (launches.front().is_library_call()) {
    miss_library_facts(facts, run);
    return;
  }
  const FunctionResources* main_resources = resources_of(run, launches.front().entry);
  write_geometry(facts, run, launches.front().launch);
  write_resources(facts, main_resources);
  if (run.device.max_warps_per_sm == 0) {
    miss_occupancy(facts, "the residency limits of this device are not known");
    return;
  }
  for (const Step& step : launches) {
    const FunctionResources* resources = resources_of(run, step.entry);
    if (!resources) continue;
    const occupancy::Usage usage{
        static_cast<int>(std::min<std::uint64_t>(step.launch.block.count(), 1 << 20)), resources->registers,
        resources->shared_static, step.launch.dynamic_shared, resources->barriers};
    run.occupancy.push_back(occupancy::table(run.device, usage, step.launch.grid.count()));
    run.occupancy.back().entry = step.entry;
  }
  if (main_resources) {
    write_occupancy(facts, run.occupancy.front());
  } else {
    miss_occupancy(facts, "the compiled kernel is not at hand");
  }
}

}  // namespace gpuprobe
