// Static facts of a run: tables for each launch, metrics of the heaviest, missing with a reason otherwise.
#include "model/static_facts.h"

#include <gtest/gtest.h>

#include "model/devices/devices.h"

namespace gpuprobe {
namespace {

Run reduction_run() {
  gpuprobe::Run run;
  run.source = Origin::kPredicted;
  run.device = *device_for_arch("sm_90");
  FunctionResources first;
  first.name_expression = "reduce_blocks";
  first.registers = 40;
  first.shared_static = 8192;
  first.barriers = 1;
  FunctionResources last;
  last.name_expression = "reduce_last";
  last.registers = 16;
  last.local_bytes = 24;
  run.resources = {last, first};
  run.steps = {{"reduce_last", {{1, 1, 1}, {256, 1, 1}, 0, {}}, {}},
               {"reduce_blocks", {{1024, 1, 1}, {16, 16, 1}, 512, {}}, {}},
               {"reduce_blocks", {{1024, 1, 1}, {16, 16, 1}, 512, {}}, {}}};
  return run;
}

TEST(StaticFacts, TheHeaviestLaunchGivesTheMetrics) {
  gpuprobe::Run run = reduction_run();
  add_static_facts(run);
  ASSERT_EQ(run.occupancy.size(), 2u);
  EXPECT_EQ(run.occupancy[0].entry, "reduce_blocks");
  EXPECT_EQ(run.occupancy[1].entry, "reduce_last");
  EXPECT_EQ(run.counters.number("occupancy.theoretical"), 75.0);
  EXPECT_EQ(run.counters.number("occupancy.blocks_per_sm"), 6.0);
  EXPECT_EQ(run.counters.text("occupancy.limiter"), "registers");
  EXPECT_EQ(run.counters.number("occupancy.blocks_per_sm.registers"), 6.0);
  EXPECT_EQ(run.counters.number("occupancy.blocks_per_sm.warps"), 8.0);
  EXPECT_EQ(run.counters.number("occupancy.blocks_per_sm.blocks"), 32.0);
  EXPECT_EQ(run.counters.number("occupancy.blocks_per_sm.shared"), 24.0);
  EXPECT_EQ(run.counters.number("occupancy.blocks_per_sm.barriers"), 64.0);
  EXPECT_EQ(run.counters.number("launch.registers"), 40.0);
  EXPECT_EQ(run.counters.number("launch.shared_static"), 8192.0);
  EXPECT_EQ(run.counters.number("launch.shared_dynamic"), 512.0);
  EXPECT_EQ(run.counters.number("launch.block_threads"), 256.0);
  EXPECT_EQ(run.counters.number("launch.grid_blocks"), 1024.0);
  EXPECT_EQ(run.counters.number("launch.steps"), 3.0);
  EXPECT_DOUBLE_EQ(*run.counters.number("launch.waves"), 1024.0 / (6 * 132));
  EXPECT_EQ(run.counters.value("launch.registers")->origin, Origin::kPredicted);
}

TEST(StaticFacts, TiesAreNamedTogether) {
  gpuprobe::Run run = reduction_run();
  run.resources[1].registers = 32;
  add_static_facts(run);
  EXPECT_EQ(run.counters.text("occupancy.limiter"), "warps+registers");
}

TEST(StaticFacts, WhatDoesNotLimitIsMissingWithTheReason) {
  gpuprobe::Run run = reduction_run();
  run.device = *device_for_arch("sm_80");
  add_static_facts(run);
  EXPECT_EQ(run.counters.missing_reason("occupancy.blocks_per_sm.barriers"),
            "does not limit residency on this chip");
  gpuprobe::Run turing = reduction_run();
  turing.device = *device_for_arch("sm_75");
  turing.resources[1].shared_static = 0;
  for (Step& step : turing.steps) step.launch.dynamic_shared = 0;
  add_static_facts(turing);
  EXPECT_EQ(turing.counters.missing_reason("occupancy.blocks_per_sm.shared"),
            "the kernel uses none, so it does not limit");
}

TEST(StaticFacts, UnknownResourcesKeepWhatTheSourceKnows) {
  gpuprobe::Run run = reduction_run();
  run.resources.clear();
  run.counters.set("launch.registers", {38.0, Unit::kRegister, Origin::kRecorded, {}});
  add_static_facts(run);
  EXPECT_EQ(run.counters.number("launch.registers"), 38.0);
  EXPECT_EQ(run.counters.missing_reason("occupancy.theoretical"), "the compiled kernel is not at hand");
  EXPECT_TRUE(run.occupancy.empty());
}

TEST(StaticFacts, UnknownDeviceAndEmptyRun) {
  gpuprobe::Run run = reduction_run();
  run.device = DeviceSpec{};
  add_static_facts(run);
  EXPECT_FALSE(run.counters.number("occupancy.theoretical").has_value());
  EXPECT_EQ(run.counters.number("launch.registers"), 40.0);
  gpuprobe::Run empty;
  add_static_facts(empty);
  EXPECT_EQ(empty.counters.missing_reason("occupancy.theoretical"), "the run has no launch");
}

TEST(StaticFacts, LaunchThatFitsNowhere) {
  gpuprobe::Run run = reduction_run();
  run.resources[1].registers = 156;
  for (Step& step : run.steps) step.launch.block = {512, 1, 1};
  add_static_facts(run);
  EXPECT_EQ(run.counters.number("occupancy.blocks_per_sm"), 0.0);
  EXPECT_EQ(run.counters.missing_reason("launch.waves"), "no block fits on an SM");
}

}  // namespace
}  // namespace gpuprobe
