// The decision part of docs/accuracy.md without a GPU: the runs that `gpuprobe accuracy --record` kept on an
// H200 are judged again, and a prediction never names another cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/accuracy/document.h"
#include "cli/accuracy/evaluate.h"
#include "cli/calibration_store.h"
#include "cli/profile.h"
#include "cli/session.h"
#include "cli/sources.h"

namespace gpuprobe::cli {
namespace {

const std::vector<DiagnosedRun>& recorded_runs() {
  static const std::vector<DiagnosedRun> kRuns = [] {
    auto runs = read_report(std::string(GPUPROBE_RECORDINGS_DIR) + "/runs.json");
    EXPECT_TRUE(runs) << (runs ? "" : runs.error().what);
    return runs ? std::move(*runs) : std::vector<DiagnosedRun>{};
  }();
  return kRuns;
}

const std::vector<AccuracyLaunch>& plan() {
  static const std::vector<AccuracyLaunch> kPlan = [] {
    auto plan = accuracy_plan({std::string(GPUPROBE_TESTS_DIR) + "/cases"}, {});
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().what);
    return plan ? std::move(*plan) : std::vector<AccuracyLaunch>{};
  }();
  return kPlan;
}

const Accuracy& accuracy() {
  static const Accuracy kAccuracy = evaluate_accuracy(plan(), recorded_runs());
  return kAccuracy;
}

TEST(RecordedAccuracy, TheRecordingIsOfAnH200) {
  ASSERT_GE(accuracy().judged.size(), 120U);
  for (const DiagnosedRun& one : recorded_runs()) {
    EXPECT_EQ(one.run.device.name, "NVIDIA H200");
    EXPECT_EQ(one.run.recorded_from, "measured");
  }
}

TEST(RecordedAccuracy, GainsComeTrueAsPromised) {
  const auto& pairs = accuracy().pairs;
  ASSERT_GE(pairs.size(), 25U);
  const bool calibrated = calibration_for("NVIDIA H200").has_value();
  std::size_t inside = 0;
  std::size_t near = 0;
  for (const GainPair& pair : pairs) {
    inside += pair.inside();
    near += pair.near();
    if (calibrated) {
      EXPECT_LE(pair.width(), 2.0 + 1e-9) << pair.label << " " << pair.change;
    }
  }
  EXPECT_GE(static_cast<double>(inside), 0.80 * static_cast<double>(pairs.size()));
  EXPECT_GE(static_cast<double>(near), 0.70 * static_cast<double>(pairs.size()));
}

TEST(RecordedAccuracy, APredictionOfACaseNeverNamesAnotherCause) {
  SourceOptions options;
  options.source = "model";
  const auto sources = Sources::open(options);
  ASSERT_TRUE(sources);
  std::size_t compared = 0;
  for (const AccuracyLaunch& launch : plan()) {
    if (launch.built_in) continue;
    const auto measured = std::find_if(accuracy().judged.begin(), accuracy().judged.end(),
                                       [&](const JudgedLaunch& one) { return one.label == launch.label; });
    if (measured == accuracy().judged.end()) continue;
    const auto made = profile(launch.one.kernel, *sources, {});
    ASSERT_TRUE(made) << launch.label << ": " << made.error().what;
    ++compared;
    const std::string& predicted = made->front().diagnosis.verdict.kind;
    if (!finding_kind_from_string(predicted) || predicted == measured->verdict) continue;
    // Where loads and stores are equally at fault either may head the report; nothing else may.
    const user::LaunchEntry& entry = launch.one.entry;
    const auto allows = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), predicted) != list.end();
    };
    EXPECT_TRUE(allows(entry.finding) || allows(entry.also))
        << launch.label << ": measured " << measured->verdict << ", predicted " << predicted;
  }
  EXPECT_GE(compared, 100U);
}

}  // namespace
}  // namespace gpuprobe::cli
