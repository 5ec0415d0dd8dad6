#include "cli/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuprobe::cli {
namespace {

using State = GateOutcome::State;

DiagnosedRun transpose(double sectors, double seconds) {
  DiagnosedRun one;
  one.run.kernel = "transpose";
  one.run.options = {{"pad", "1"}};
  one.run.device.name = "NVIDIA H200";
  one.run.device.arch = "sm_90";
  one.run.source = Origin::kMeasured;
  one.run.counters.set("global.load.sectors", {sectors, Unit::kSector, Origin::kMeasured, {}});
  one.run.counters.set("occupancy.theoretical", {100.0, Unit::kPercent, Origin::kMeasured, {}});
  one.run.counters.set("time.duration", {seconds, Unit::kSecond, Origin::kMeasured, {}});
  return one;
}

State worst(const DiagnosedRun& now, const DiagnosedRun& before) {
  State state = State::kHeld;
  const auto outcomes = compare_with_baseline(std::vector{now}, std::vector{before});
  EXPECT_FALSE(outcomes.empty());
  for (const GateOutcome& outcome : outcomes)
    if (outcome.state != State::kHeld && state != State::kFailed) state = outcome.state;
  return state;
}

TEST(Baseline, CountsMayNotGrowAtAll) {
  EXPECT_EQ(worst(transpose(1000, 1), transpose(1000, 1)), State::kHeld);
  EXPECT_EQ(worst(transpose(999, 1), transpose(1000, 1)), State::kHeld);
  EXPECT_EQ(worst(transpose(1001, 1), transpose(1000, 1)), State::kFailed);
}

TEST(Baseline, TimeMayGrowByTheToleranceOnly) {
  EXPECT_EQ(worst(transpose(1, 1.09), transpose(1, 1.0)), State::kHeld);
  EXPECT_EQ(worst(transpose(1, 1.11), transpose(1, 1.0)), State::kFailed);
}

TEST(Baseline, TimeOfAnotherDeviceIsNotCompared) {
  DiagnosedRun before = transpose(1, 1.0);
  before.run.device.name = "NVIDIA H100 PCIe";
  EXPECT_EQ(worst(transpose(1, 5.0), before), State::kHeld);
}

TEST(Baseline, LowerOccupancyFails) {
  DiagnosedRun now = transpose(1, 1);
  now.run.counters.set("occupancy.theoretical", {50.0, Unit::kPercent, Origin::kMeasured, {}});
  EXPECT_EQ(worst(now, transpose(1, 1)), State::kFailed);
  EXPECT_EQ(worst(transpose(1, 1), now), State::kHeld);
}

TEST(Baseline, NumberThatIsGoneIsMissing) {
  DiagnosedRun now = transpose(1, 1);
  now.run.counters.set_missing("global.load.sectors", "counters busy");
  EXPECT_EQ(worst(now, transpose(1, 1)), State::kMissing);
}

TEST(Baseline, NewFindingFailsAndAKnownOneDoesNot) {
  DiagnosedRun now = transpose(1, 1);
  Finding finding;
  finding.kind = FindingKind::kBankConflictLoad;
  finding.severity = Severity::kPresent;
  now.diagnosis.findings = {finding};
  EXPECT_EQ(worst(now, transpose(1, 1)), State::kFailed);
  EXPECT_EQ(worst(now, now), State::kHeld);
}

TEST(Baseline, RunThatItDoesNotHoldIsMissing) {
  DiagnosedRun other = transpose(1, 1);
  other.run.options = {{"pad", "2"}};
  EXPECT_EQ(worst(transpose(1, 1), other), State::kMissing);
}

TEST(Baseline, PrefersTheRunOfTheSameSource) {
  DiagnosedRun predicted = transpose(7, 1);
  predicted.run.source = Origin::kRecorded;
  predicted.run.recorded_from = "predicted";
  const std::vector<DiagnosedRun> baseline{predicted, transpose(9, 1)};
  EXPECT_EQ(find_baseline(transpose(1, 1).run, baseline), &baseline[1]);
}

}  // namespace
}  // namespace gpuprobe::cli
