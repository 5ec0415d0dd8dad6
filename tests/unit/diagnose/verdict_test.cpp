// What heads a report: correctness before performance, the largest gain, what bounds a healthy kernel, and
// "inconclusive" wherever a number is missing or cannot be true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "build_run.h"
#include "diagnose/diagnose.h"
#include "diagnose/ranking.h"
#include "model/devices/devices.h"

namespace gpuprobe::diagnose {
namespace {

using testing::HasSubstr;

RunBuilder healthy() {
  RunBuilder builder;
  builder.load(1e6, 4e6, 4e6).store(1e6, 4e6, 4e6).time_us(70).busy(75, 78, 20, 15);
  return builder;
}

TEST(Verdict, HealthyKernelIsNamedByWhatBoundsIt) {
  EXPECT_EQ(diagnose(healthy().build()).verdict.kind, "dram-bound");
  EXPECT_EQ(diagnose(healthy().busy(10, 80, 30, 15).build()).verdict.kind, "l2-bound");
  EXPECT_EQ(diagnose(healthy().busy(10, 12, 90, 40).build()).verdict.kind, "lsu-bound");
  EXPECT_EQ(diagnose(healthy().busy(10, 12, 30, 88).build()).verdict.kind, "issue-bound");
  EXPECT_EQ(diagnose(healthy().busy(20, 22, 10, 15).build()).verdict.kind, "latency-bound");
}

TEST(Verdict, LatencyBoundSaysWhatTheWarpsWaitFor) {
  const Diagnosis diagnosis = diagnose(
      healthy().busy(20, 22, 10, 15).number("stall.long_scoreboard", 61).number("stall.barrier", 12).build());
  EXPECT_THAT(diagnosis.verdict.text, HasSubstr("warps wait mostly for global memory (61 %"));
}

TEST(Verdict, WrongResultSilencesPerformance) {
  const gpuprobe::Run run =
      RunBuilder()
          .shared_load(524288, 16777216, 524288)
          .time_us(136)
          .busy(21, 26, 56, 17)
          .hazard(HazardKind::kSharedRace, "line 41 reads what line 44 writes", {{"k.cu", 41}, {"k.cu", 44}})
          .check_failed("element 17 is 3.5, expected 4.0")
          .build();
  const Diagnosis diagnosis = diagnose(run);
  EXPECT_EQ(diagnosis.verdict.kind, "wrong-result");
  EXPECT_THAT(diagnosis.verdict.text, HasSubstr("element 17 is 3.5, expected 4.0"));
  EXPECT_THAT(diagnosis.verdict.text, HasSubstr("line 41 reads what line 44 writes"));
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::kSharedRace);
  ASSERT_EQ(diagnosis.findings[0].sites.size(), 2u);
  EXPECT_EQ(diagnosis.findings[0].sites[1].line, 44);
}

TEST(Verdict, AHazardHeadsTheReportBeforeAnyGain) {
  const std::pair<HazardKind, const char*> kAll[] = {
      {HazardKind::kSharedRace, "shared-race"},
      {HazardKind::kDivergentBarrier, "divergent-barrier"},
      {HazardKind::kUninitialisedShared, "uninitialised-shared"},
      {HazardKind::kOutOfBounds, "out-of-bounds"},
      {HazardKind::kMisalignedAccess, "misaligned-address"},
      {HazardKind::kBlockOrder, "block-order"},
      {HazardKind::kBlockWait, "block-wait"},
  };
  for (const auto& [hazard, kind] : kAll) {
    const Diagnosis diagnosis = diagnose(RunBuilder()
                                             .shared_load(524288, 16777216, 524288)
                                             .time_us(136)
                                             .busy(21, 26, 56, 17)
                                             .hazard(hazard, "what happened", {{"k.cu", 3}})
                                             .build());
    EXPECT_EQ(diagnosis.verdict.kind, kind);
    ASSERT_EQ(diagnosis.findings.size(), 2u);
    EXPECT_EQ(diagnosis.findings[0].severity, Severity::kLimiting);
    EXPECT_FALSE(diagnosis.findings[0].cure.empty());
    EXPECT_EQ(diagnosis.findings[1].kind, FindingKind::kBankConflictLoad);
  }
}

TEST(Verdict, MissingNumbersNeverCountAsGood) {
  gpuprobe::Run run = healthy().build();
  run.counters.set_missing("global.store.ideal_sectors", "needs per-instruction counts");
  const Diagnosis diagnosis = diagnose(run);
  EXPECT_EQ(diagnosis.verdict.kind, "inconclusive");
  EXPECT_THAT(diagnosis.verdict.text, HasSubstr("global.store.ideal_sectors: needs per-instruction counts"));
}

TEST(Verdict, ALimitingFindingStandsBesideAMissingNumber) {
  gpuprobe::Run run = healthy().shared_load(524288, 16777216, 524288).busy(21, 26, 90, 17).build();
  run.counters.set_missing("global.store.requests", "not collected");
  EXPECT_EQ(diagnose(run).verdict.kind, "bank-conflict-load");
}

TEST(Verdict, AnEmptyRunIsInconclusive) {
  EXPECT_EQ(diagnose(gpuprobe::Run()).verdict.kind, "inconclusive");
}

TEST(Verdict, NothingKnownOfTheUnitsIsInconclusive) {
  gpuprobe::Run run;
  run.device.sm_count = 1;
  for (const char* prefix : {"global.load.", "global.store.", "shared.load.", "shared.store."})
    run.counters.set(std::string(prefix) + "requests", {0.0, Unit::kRequest, Origin::kMeasured, {}});
  const Diagnosis diagnosis = diagnose(run);
  EXPECT_TRUE(diagnosis.verdict.kind == "inconclusive" || diagnosis.verdict.kind == "latency-bound");
}

TEST(Trust, CountsThatCannotBeTrueAreNotBelieved) {
  const auto reason = [](const gpuprobe::Run& run) {
    const Diagnosis diagnosis = diagnose(run);
    EXPECT_EQ(diagnosis.verdict.kind, "inconclusive") << diagnosis.verdict.text;
    return diagnosis.verdict.text;
  };
  EXPECT_THAT(reason(healthy().load(1e6, 40e6, 4e6).build()),
              HasSubstr("more than 32 for each of 1000000 requests"));
  EXPECT_THAT(reason(healthy().load(1e6, 4e6, 5e6).build()), HasSubstr("fewer than the ideal"));
  EXPECT_THAT(reason(healthy().load(1e6, 5e5, 5e5).build()), HasSubstr("fewer than 1000000 requests"));
  EXPECT_THAT(reason(healthy().shared_load(100, 100, 200).build()),
              HasSubstr("100 wavefronts are fewer than the ideal 200"));
  EXPECT_THAT(reason(healthy().shared_load(1e6, 2e6, 1e6).number("shared.conflicts_hw.load", 5).build()),
              HasSubstr("shared.conflicts_hw.load reads 5"));
  EXPECT_THAT(
      reason(healthy().number("global.load.sectors", std::numeric_limits<double>::quiet_NaN()).build()),
      HasSubstr("global.load.sectors reads nan"));
  EXPECT_THAT(reason(healthy().number("global.load.sectors", -4).build()),
              HasSubstr("global.load.sectors reads -4"));
  EXPECT_THAT(reason(healthy().number("occupancy.achieved", 140).build()),
              HasSubstr("above the theoretical"));
  EXPECT_THAT(reason(healthy().number("dram.utilization", 240).build()),
              HasSubstr("dram.utilization reads 240"));
}

TEST(Trust, NoiseWithinTheTolerancesIsBelieved) {
  EXPECT_EQ(diagnose(healthy().number("occupancy.achieved", 101).build()).verdict.kind, "dram-bound");
  EXPECT_EQ(diagnose(healthy().number("dram.utilization", 101).build()).verdict.kind, "dram-bound");
}

TEST(Device, UnknownRatesWidenTheIntervalAndSaySo) {
  const auto transpose = [](const DeviceSpec& device) {
    return RunBuilder()
        .predicted()
        .device(device)
        .grid(128, 128)
        .block(32, 32)
        .number("issue.warp_instructions", 524288.0 * 24)
        .unique(67108864, 67108864)
        .access_at(24, AccessKind::kSharedLoad, 4, 524288, [](std::uint32_t lane) { return lane * 128u; })
        .build();
  };
  const DeviceSpec known = *device_by_name("NVIDIA H200");
  DeviceSpec unknown = known;
  unknown.rates = {};
  const Diagnosis with = diagnose(transpose(known));
  const Diagnosis without = diagnose(transpose(unknown));
  ASSERT_FALSE(with.findings.empty());
  ASSERT_FALSE(without.findings.empty());
  EXPECT_EQ(with.findings[0].kind, without.findings[0].kind);
  EXPECT_THAT(without.findings[0].gain->reasoning, HasSubstr("rates of this device are not known"));
  EXPECT_GT(without.findings[0].gain->high / without.findings[0].gain->low,
            with.findings[0].gain->high / with.findings[0].gain->low);
}

TEST(Device, EveryKnownDeviceGivesTheSameCause) {
  for (const DeviceSpec& device : known_devices()) {
    const Diagnosis diagnosis = diagnose(RunBuilder()
                                             .predicted()
                                             .device(device)
                                             .grid(4096)
                                             .block(256)
                                             .registers(16)
                                             .number("issue.warp_instructions", 32768.0 * 1024)
                                             .access_at(5, AccessKind::kSharedLoad, 4, 32768.0 * 256,
                                                        [](std::uint32_t lane) { return lane * 128u; })
                                             .build());
    EXPECT_EQ(diagnosis.verdict.kind, "bank-conflict-load") << device.name << ": " << diagnosis.verdict.text;
  }
}

TEST(Severity, FollowsTheMiddleOfTheInterval) {
  EXPECT_EQ(severity_of({1.0, 1.0, ""}), Severity::kNegligible);
  EXPECT_EQ(severity_of({1.0, 1.05, ""}), Severity::kPresent);
  EXPECT_EQ(severity_of({1.05, 1.20, ""}), Severity::kLimiting);
  EXPECT_EQ(severity_of({kLimitingGain, kLimitingGain, ""}), Severity::kLimiting);
}

}  // namespace
}  // namespace gpuprobe::diagnose
