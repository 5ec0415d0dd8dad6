#include "build_run.h"

#include <bit>
#include <utility>

#include "model/devices/devices.h"
#include "model/memory/cost.h"
#include "model/occupancy/calculator.h"

namespace gpuprobe::diagnose {

RunBuilder::RunBuilder() {
  run_.kernel = "planted";
  run_.device = *device_by_name("NVIDIA H200");
  run_.steps.resize(1);
  grid(10560).block(256);
  load(0, 0, 0).store(0, 0, 0).shared_load(0, 0, 0).shared_store(0, 0, 0);
}

RunBuilder& RunBuilder::predicted() {
  run_.source = Origin::kPredicted;
  return *this;
}

RunBuilder& RunBuilder::grid(std::uint32_t x, std::uint32_t y) {
  run_.steps[0].launch.grid = {x, y, 1};
  return *this;
}

RunBuilder& RunBuilder::block(std::uint32_t x, std::uint32_t y) {
  run_.steps[0].launch.block = {x, y, 1};
  return *this;
}

RunBuilder& RunBuilder::registers(int count) {
  registers_ = count;
  return *this;
}

RunBuilder& RunBuilder::shared_bytes(std::uint32_t count) {
  shared_ = count;
  return *this;
}

RunBuilder& RunBuilder::number(const std::string& name, double value) {
  run_.counters.set(name, {value, Unit::kNone, run_.source, {}});
  return *this;
}

RunBuilder& RunBuilder::missing(const std::string& name, const std::string& reason) {
  run_.counters.set_missing(name, reason);
  return *this;
}

RunBuilder& RunBuilder::site(const Site& site) {
  run_.sites.push_back(site);
  return *this;
}

RunBuilder& RunBuilder::access_at(int line, AccessKind kind, std::uint32_t width, double requests,
                                  const std::function<std::uint64_t(std::uint32_t)>& address,
                                  std::uint32_t active) {
  Site site;
  site.file = "planted.cu";
  site.line = line;
  site.access = kind;
  site.width = width;
  site.requests = requests;
  site.active_lanes = std::popcount(active);
  LanePattern pattern;
  pattern.active = active;
  pattern.width = width;
  for (std::uint32_t lane = 0; lane < 32; ++lane) pattern.address[lane] = address(lane);
  site.worst = pattern;
  switch (kind) {
    case AccessKind::kGlobalLoad:
    case AccessKind::kGlobalStore: {
      const memory::GlobalCost cost = memory::global_cost(pattern);
      site.actual = requests * cost.sectors;
      site.ideal = requests * cost.ideal;
      site.lines = requests * cost.lines;
      site.misaligned_excess = requests * (cost.sectors - cost.aligned_sectors);
      break;
    }
    default: {
      const memory::SharedCost cost = kind == AccessKind::kSharedLoad    ? memory::shared_load_cost(pattern)
                                      : kind == AccessKind::kSharedStore ? memory::shared_store_cost(pattern)
                                      : kind == AccessKind::kSharedAtomic
                                          ? memory::shared_atomic_cost(pattern)
                                          : memory::async_copy_shared_cost(pattern);
      site.actual = requests * cost.wavefronts;
      site.ideal = requests * cost.ideal;
      site.same_address_lanes = cost.same_word_lanes;
    }
  }
  run_.sites.push_back(site);
  const std::string prefix(to_string(kind));
  const std::string unit = is_shared(kind) ? "wavefronts" : "sectors";
  for (const auto& [name, value] :
       {std::pair{prefix + ".requests", site.requests}, std::pair{prefix + "." + unit, site.actual},
        std::pair{prefix + ".ideal_" + unit, site.ideal}})
    number(name, run_.counters.number(name).value_or(0) + value);
  return *this;
}

RunBuilder& RunBuilder::device(const DeviceSpec& spec) {
  run_.device = spec;
  return *this;
}

RunBuilder& RunBuilder::dynamic_shared(std::uint32_t bytes) {
  run_.steps[0].launch.dynamic_shared = bytes;
  return *this;
}

RunBuilder& RunBuilder::hazard(HazardKind kind, const std::string& text, std::vector<Location> locations) {
  run_.hazards.push_back({kind, text, std::move(locations), 1});
  return *this;
}

RunBuilder& RunBuilder::check_failed(const std::string& text) {
  run_.check.state = CheckOutcome::State::kFailed;
  run_.check.text = text;
  return *this;
}

RunBuilder& RunBuilder::cure(const std::string& finding, const std::string& options,
                             const std::string& text) {
  run_.cures.push_back({finding, options, text});
  return *this;
}

RunBuilder& RunBuilder::option(const std::string& name, const std::string& value) {
  run_.options.emplace_back(name, value);
  return *this;
}

RunBuilder& RunBuilder::busy(double dram, double l2, double l1, double issue) {
  return number("dram.utilization", dram)
      .number("l2.utilization", l2)
      .number("l1.utilization", l1)
      .number("issue.utilization", issue);
}

RunBuilder& RunBuilder::access(const std::string& prefix, double requests, double actual, double ideal) {
  const std::string unit = prefix.rfind("shared", 0) == 0 ? "wavefronts" : "sectors";
  return number(prefix + ".requests", requests)
      .number(prefix + "." + unit, actual)
      .number(prefix + ".ideal_" + unit, ideal);
}

Run RunBuilder::build() const {
  Run run = run_;
  const Launch& launch = run.steps[0].launch;
  run.occupancy.push_back(occupancy::table(
      run.device, {static_cast<int>(launch.block.count()), registers_, shared_, launch.dynamic_shared, 0},
      launch.grid.count()));
  run.counters.set("occupancy.theoretical",
                   {run.occupancy[0].theoretical_percent, Unit::kPercent, run.source, {}});
  return run;
}

}  // namespace gpuprobe::diagnose
