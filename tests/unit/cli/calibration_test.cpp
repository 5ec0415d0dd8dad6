// Unit costs: worked out from recorded pairs, kept in a file, and what they do to an interval.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/calibration_store.h"
#include "cli/command_line.h"
#include "cli/profile.h"
#include "cli/session.h"
#include "diagnose/cost/calibration.h"
#include "diagnose/diagnose.h"
#include "metrics/recorded/gpuprobe_json.h"
#include "report/writer.h"
#include "support/temporary_folder.h"

namespace gpuprobe::cli {
namespace {

using testing::HasSubstr;

gpuprobe::Run recorded(const std::string& name) {
  auto runs = read_report(std::string(GPUPROBE_TESTS_DIR) + "/golden/h200/" + name + ".json");
  EXPECT_TRUE(runs) << (runs ? "" : runs.error().what);
  return std::move(runs->front().run);
}

/// Recorded pairs of an H200; the warp pair is made of one of them, with a known answer.
struct Recorded {
  gpuprobe::Run tiled = recorded("transpose_tiled"), pad = recorded("transpose_pad");
  gpuprobe::Run swapped = recorded("matmul_swapped"), naive = recorded("matmul_naive");
  gpuprobe::Run saxpy = recorded("saxpy");
  gpuprobe::Run few = saxpy, many = saxpy;

  Recorded() {
    few.occupancy.front().theoretical_percent = 50;
    many.occupancy.front().theoretical_percent = 100;
    const double time = *many.counters.number("time.duration");
    few.counters.set("time.duration", {1.2 * time, Unit::kSecond, Origin::kRecorded, {}});
    for (const char* busy : {"dram.utilization", "l2.utilization", "l1.utilization", "issue.utilization"})
      few.counters.set(busy, {10.0, Unit::kPercent, Origin::kRecorded, {}});
    for (const char* bytes : {"dram.read_bytes", "dram.write_bytes"})
      few.counters.set(bytes, {0.0, Unit::kByte, Origin::kRecorded, {}});
  }

  diagnose::CalibrationPairs pairs() const {
    return {{{&tiled, &pad}}, {{&swapped, &naive}}, {{&swapped, &naive}}, {{&few, &many}}, {&saxpy}};
  }
};

TEST(Calibration, CostsAreThoseOfThePairsWithFivePercentAround) {
  const Recorded recorded;
  const auto costs = diagnose::calibrate(recorded.pairs());
  ASSERT_TRUE(costs) << costs.error().what;
  for (const CostRange& range : {costs->wavefront, costs->line, costs->warp, costs->latency})
    EXPECT_NEAR(range.high / range.low, 1.05 / 0.95, 1e-9);
  // One pair removed 16.25 million of 16.78 million wavefronts: a cycle each on 132 SMs at 1.98 GHz.
  const double saved =
      *recorded.tiled.counters.number("time.duration") - *recorded.pad.counters.number("time.duration");
  EXPECT_NEAR(costs->wavefront.low, 0.95 * saved / (16252928.0 / (132 * 1.98e9)), 1e-6);
  // Twice the warps could have gained 2x and gained 1.2x.
  EXPECT_NEAR(costs->warp.low, 0.95 * 0.2, 1e-9);
}

TEST(Calibration, APairThatChangesNothingOrHasNoTimeIsRefused) {
  Recorded recorded;
  diagnose::CalibrationPairs same = recorded.pairs();
  same.wavefront = {{&recorded.pad, &recorded.pad}};
  EXPECT_FALSE(diagnose::calibrate(same));
  diagnose::CalibrationPairs reversed = recorded.pairs();
  reversed.line = {{&recorded.naive, &recorded.swapped}};
  EXPECT_FALSE(diagnose::calibrate(reversed));
  diagnose::CalibrationPairs none = recorded.pairs();
  none.warp.clear();
  EXPECT_FALSE(diagnose::calibrate(none));
  recorded.saxpy.counters.set_missing("time.duration", "counters busy");
  const auto untimed = diagnose::calibrate(recorded.pairs());
  ASSERT_FALSE(untimed);
  EXPECT_EQ(untimed.error().code, ErrorCode::kMachine);
}

TEST(Calibration, NarrowsTheIntervalAndItsAbsenceIsSaid) {
  gpuprobe::Run run = recorded("transpose_tiled");
  run.device.calibration.reset();
  const Diagnosis wide = diagnose::diagnose(run);
  run.device.calibration =
      Calibration{{0.90, 0.95}, {0.9, 1.0}, {0.4, 0.6}, {0.9, 1.1}, {0.97, 1.03}, "here"};
  const Diagnosis narrow = diagnose::diagnose(run);
  ASSERT_FALSE(wide.findings.empty());
  ASSERT_FALSE(narrow.findings.empty());
  const Gain& before = *wide.findings[0].gain;
  const Gain& after = *narrow.findings[0].gain;
  EXPECT_LT(after.high / after.low, before.high / before.low);
  EXPECT_THAT(before.reasoning, HasSubstr("gpuprobe calibrate"));
  EXPECT_THAT(after.reasoning, testing::Not(HasSubstr("gpuprobe calibrate")));
}

class CalibrationStore : public testing::Test {
 protected:
  CalibrationStore() { setenv("XDG_DATA_HOME", folder_.path().c_str(), 1); }
  ~CalibrationStore() override { unsetenv("XDG_DATA_HOME"); }

  test::TemporaryFolder folder_;
  const Calibration costs_{{0.9, 1.0}, {0.5, 1.0}, {0.3, 0.8},
                           {0.8, 2.0}, {0.9, 1.2}, "NVIDIA X, driver 1, today"};
};

TEST_F(CalibrationStore, WhatIsKeptIsFoundAgainForThatDeviceOnly) {
  EXPECT_FALSE(calibration_for("NVIDIA Unheard 1"));
  const auto path = store_calibration("NVIDIA Unheard 2", costs_);
  ASSERT_TRUE(path) << path.error().what;
  EXPECT_EQ(*path, folder_.path() + "/gpuprobe/calibration/nvidia-unheard-2.json");
  EXPECT_EQ(calibration_for("NVIDIA Unheard 2"), costs_);
  EXPECT_FALSE(calibration_for("NVIDIA Unheard 3"));
  EXPECT_FALSE(calibration_for(""));
}

TEST_F(CalibrationStore, ABrokenFileCountsAsNone) {
  ASSERT_TRUE(store_calibration("NVIDIA Broken", costs_));
  std::ofstream(calibration_path("NVIDIA Broken")) << "{\"device\": ";
  EXPECT_FALSE(calibration_for("NVIDIA Broken"));
}

TEST_F(CalibrationStore, ANameFromTheDriverStaysInTheDirectory) {
  EXPECT_EQ(calibration_path("../../etc/x y"), folder_.path() + "/gpuprobe/calibration/------etc-x-y.json");
}

TEST(CalibrationFile, RefusesWhatIsNotOne) {
  const Calibration costs{{1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, "s"};
  const std::string good = report::calibration_file("A", costs);
  ASSERT_TRUE(recorded::read_calibration_file(good, "f", "A"));
  EXPECT_FALSE(recorded::read_calibration_file(good, "f", "B"));
  Calibration empty = costs;
  empty.line = {2, 1};
  EXPECT_FALSE(recorded::read_calibration_file(report::calibration_file("A", empty), "f", "A"));
  empty.line = {0, 1};
  EXPECT_FALSE(recorded::read_calibration_file(report::calibration_file("A", empty), "f", "A"));
  for (std::size_t cut = 0; cut + 1 < good.size(); cut += 7)
    EXPECT_FALSE(recorded::read_calibration_file(good.substr(0, cut), "f", "A")) << cut;
}

TEST(Calibrate, WithoutAGpuItSaysWhatIsNeeded) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has a GPU";
  const char* const argv[] = {"gpuprobe", "calibrate"};
  CommandLine line;
  const auto parsed = line.parse(2, argv);
  ASSERT_TRUE(parsed);
  const auto code = std::get<Action>(*parsed)();
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::kMachine);
  EXPECT_THAT(code.error().hint, HasSubstr("doctor"));
}

}  // namespace
}  // namespace gpuprobe::cli
