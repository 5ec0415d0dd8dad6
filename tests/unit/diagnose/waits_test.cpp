// Waits: the time that a cure leaves, from what the warps of a measured run waited for.
#include "diagnose/cost/waits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "build_run.h"

namespace gpuprobe::diagnose {
namespace {

constexpr double kTime = 100e-6;

/// 100 us on all SMs of an H200, of which warps spend the given percents on each reason.
gpuprobe::Run waiting(double loads, double shared, double drain) {
  RunBuilder builder;
  builder.load(1e6, 8e6, 4e6).number("time.duration", kTime).number("occupancy.achieved", 90);
  builder.number("stall.long_scoreboard", loads).number("stall.short_scoreboard", shared);
  builder.number("stall.drain", drain);
  for (const char* none : {"stall.lg_throttle", "stall.mio_throttle", "stall.barrier"})
    builder.number(none, 0);
  return builder.build();
}

Waits waits_of(const gpuprobe::Run& run) {
  const auto waits = Waits::of(run, Traffic::of(run), rates_of(run.device), kTime);
  EXPECT_TRUE(waits);
  return waits.value();
}

TEST(Waits, AreNotKnownWithoutEveryStallThatCountsOrWithoutATime) {
  for (const char* one : {"stall.long_scoreboard", "stall.lg_throttle", "stall.short_scoreboard",
                          "stall.mio_throttle", "stall.drain", "stall.barrier", "occupancy.achieved"}) {
    gpuprobe::Run run = waiting(50, 20, 0);
    run.counters.set_missing(one, "not on this chip");
    EXPECT_FALSE(Waits::of(run, Traffic::of(run), rates_of(run.device), kTime)) << one;
  }
  const gpuprobe::Run run = waiting(50, 20, 0);
  EXPECT_FALSE(Waits::of(run, Traffic::of(run), rates_of(run.device), std::nullopt));
}

TEST(Waits, AHalfOfTheTimeBehindTheDataStageGoesWithItsWork) {
  const Waits waits = waits_of(waiting(30, 50, 0));
  // All of it gone: half of the time in which warps run.
  const double left = waits.without_wavefronts({.utilization = 0.5, .removed = 1.0});
  EXPECT_NEAR(left, waits.launch_s() + 0.5 * waits.running_s(), 1e-9);
}

TEST(Waits, ASaturatedStageThatAllWarpsWaitForSetsThePaceAlone) {
  const Waits waits = waits_of(waiting(2, 96, 0));
  // What is left of the work decides, not what is left of the waits.
  const double left = waits.without_wavefronts({.utilization = 0.96, .removed = 0.5});
  EXPECT_NEAR((left - waits.launch_s()) / waits.running_s(), 0.96 * 0.5 / 0.85, 0.01);
}

TEST(Waits, ALoadIsNeverExpectedFasterThanAnIdleGpuAnswers) {
  const Waits waits = waits_of(waiting(90, 0, 0));
  ASSERT_GT(waits.load_wait_cycles(), 2 * 660.0);
  const Range left = waits.with_loads({.queue_left = 0});
  const double least = 1.0 - 0.9 * (1.0 - 660.0 / waits.load_wait_cycles());
  EXPECT_NEAR(left.low, waits.launch_s() + least * waits.running_s(), 1e-9);
  // Data that then stay in L2 are answered sooner still, on one side of the range only.
  const Range near = waits.with_loads({.queue_left = 0, .may_stay_in_l2 = true});
  EXPECT_LT(near.low, left.low);
  EXPECT_EQ(near.high, left.high);
}

RC_GTEST_PROP(Waits, NothingRemovedTakesAsLongAndMoreRemovedNeverLonger, ()) {
  const auto percent = [](int most) { return static_cast<double>(*rc::gen::inRange(0, most + 1)); };
  const double loads = percent(60);
  const double shared = percent(30);
  const Waits waits = waits_of(waiting(loads, shared, percent(10)));
  const double utilization = percent(100) / 100.0;
  RC_ASSERT(std::abs(waits.without_wavefronts({utilization, 0.0}) - kTime) <= 1e-9);
  RC_ASSERT(std::abs(waits.with_loads({.look_ups = {utilization, 0.0}}).low - kTime) <= 1e-9);
  RC_ASSERT(std::abs(waits.with_stores({}) - kTime) <= 1e-9);
  double stage = kTime;
  double memory = kTime;
  double stores = kTime;
  for (int step = 1; step <= 10; ++step) {
    const double removed = step / 10.0;
    const MemoryAfter after{{utilization, removed}, 1.0 - removed, 0, false};
    const double next[] = {waits.without_wavefronts({utilization, removed}), waits.with_loads(after).high,
                           waits.with_stores(after)};
    RC_ASSERT(next[0] <= stage + 1e-12);
    RC_ASSERT(next[1] <= memory + 1e-12);
    RC_ASSERT(next[2] <= stores + 1e-12);
    RC_ASSERT(next[0] > 0 && next[1] > 0 && next[2] > 0);
    stage = next[0];
    memory = next[1];
    stores = next[2];
  }
}

}  // namespace
}  // namespace gpuprobe::diagnose
