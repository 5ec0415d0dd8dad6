#include "build_run.h"

#include "model/devices/devices.h"
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
