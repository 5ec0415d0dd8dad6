// `gpuprobe accuracy`: the plan, the judgement of planted answers and of gains, and Nsight's advice beside
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/accuracy/evaluate.h"
#include "cli/session.h"

namespace gpuprobe::cli {
namespace {

using testing::HasSubstr;

DiagnosedRun run_of(const AccuracyLaunch& launch, const std::string& verdict, double seconds) {
  DiagnosedRun one;
  one.run.kernel = launch.one.kernel.name;
  one.run.options = launch.one.kernel.options;
  one.run.steps = launch.one.kernel.steps;
  one.run.cures = launch.one.kernel.cures;
  one.run.environment.device = "NVIDIA H200";
  one.run.counters.set("time.duration", {seconds, Unit::kSecond, Origin::kMeasured, {}});
  one.diagnosis.verdict = {verdict, ""};
  return one;
}

void add_finding(DiagnosedRun& one, FindingKind kind, Severity severity, double low, double high) {
  Finding finding;
  finding.kind = kind;
  finding.severity = severity;
  finding.gain = Gain{low, high, ""};
  one.diagnosis.findings.push_back(finding);
}

std::vector<AccuracyLaunch> transposes() {
  auto plan = accuracy_plan({}, {"transpose"});
  EXPECT_TRUE(plan);
  return std::move(*plan);
}

const AccuracyLaunch& find(const std::vector<AccuracyLaunch>& plan, const std::string& label) {
  const auto found =
      std::find_if(plan.begin(), plan.end(), [&](const auto& one) { return one.label == label; });
  EXPECT_NE(found, plan.end()) << label;
  return *found;
}

TEST(AccuracyPlan, HoldsEveryPlantedVariantAndWhatItsCuresLeadTo) {
  const auto plan = accuracy_plan({}, {});
  ASSERT_TRUE(plan) << plan.error().what;
  std::set<std::string> keys;
  std::size_t planted = 0;
  for (const AccuracyLaunch& launch : *plan) {
    EXPECT_TRUE(keys.insert(key_of(launch.one.kernel)).second) << launch.label;
    planted += !launch.one.entry.finding.empty();
    for (const std::string& kind : launch.one.entry.finding) EXPECT_NE(kind, "shared-race") << launch.label;
  }
  EXPECT_GE(planted, 80U);
  find(*plan, "transpose --pad");
  find(*plan, "matmul --order swapped");
}

TEST(AccuracyPlan, TheCasesComeWithTheirAnswers) {
  const auto plan = accuracy_plan({std::string(GPUPROBE_TESTS_DIR) + "/cases/none"}, {"saxpy"});
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_TRUE(std::any_of(plan->begin(), plan->end(), [](const AccuracyLaunch& launch) {
    return !launch.built_in && launch.label.find("N01") != std::string::npos &&
           !launch.one.entry.finding.empty();
  }));
}

TEST(Accuracy, APlantedAnswerThatIsNamedIsRight) {
  const auto plan = transposes();
  DiagnosedRun tiled = run_of(find(plan, "transpose"), "bank-conflict-load", 2e-4);
  add_finding(tiled, FindingKind::kBankConflictLoad, Severity::kLimiting, 1.5, 2.0);
  const Accuracy accuracy = evaluate_accuracy(plan, {tiled});
  ASSERT_EQ(accuracy.judged.size(), 1U);
  EXPECT_TRUE(accuracy.judged[0].right);
  EXPECT_EQ(accuracy.judged[0].false_findings, 0);
  EXPECT_EQ(accuracy.missing.size(), plan.size() - 1);
}

TEST(Accuracy, AnythingElseIsWrongAndCounted) {
  const auto plan = transposes();
  DiagnosedRun silent = run_of(find(plan, "transpose"), "dram-bound", 1e-4);
  DiagnosedRun accused = run_of(find(plan, "transpose --pad"), "misaligned", 1e-4);
  add_finding(accused, FindingKind::kMisaligned, Severity::kLimiting, 1.2, 1.3);
  add_finding(accused, FindingKind::kTail, Severity::kPresent, 1.02, 1.05);
  add_finding(accused, FindingKind::kPartialWarps, Severity::kNegligible, 1.0, 1.0);
  const Accuracy accuracy = evaluate_accuracy(plan, {silent, accused});
  ASSERT_EQ(accuracy.judged.size(), 2U);
  for (const JudgedLaunch& one : accuracy.judged) {
    EXPECT_FALSE(one.right) << one.label;
    EXPECT_FALSE(one.reasons.empty()) << one.label;
    EXPECT_EQ(one.false_findings, one.label == "transpose" ? 0 : 2) << one.label;
  }
}

TEST(Accuracy, APairNeedsBothTimes) {
  const auto plan = transposes();
  DiagnosedRun tiled = run_of(find(plan, "transpose"), "bank-conflict-load", 1.5e-4);
  add_finding(tiled, FindingKind::kBankConflictLoad, Severity::kLimiting, 1.4, 2.0);
  EXPECT_TRUE(evaluate_accuracy(plan, {tiled}).pairs.empty());
  const DiagnosedRun padded = run_of(find(plan, "transpose --pad"), "dram-bound", 1e-4);
  const Accuracy accuracy = evaluate_accuracy(plan, {padded, tiled});
  ASSERT_EQ(accuracy.pairs.size(), 1U);
  EXPECT_EQ(accuracy.pairs[0].change, "--pad");
  EXPECT_DOUBLE_EQ(accuracy.pairs[0].actual, 1.5);
  EXPECT_TRUE(accuracy.pairs[0].inside());
  EXPECT_TRUE(accuracy.pairs[0].near());
}

TEST(Accuracy, InsideAndNearAreJudgedAtTheirEdges) {
  GainPair pair{"", "", "", Gain{1.0, 4.0, ""}, 2.0, 0, 0};
  EXPECT_DOUBLE_EQ(pair.middle(), 2.0);
  EXPECT_DOUBLE_EQ(pair.width(), 4.0);
  EXPECT_TRUE(pair.near());
  pair.actual = 4.0;
  EXPECT_TRUE(pair.inside());
  EXPECT_FALSE(pair.near());
  pair.actual = 2.0 / 1.25;
  EXPECT_TRUE(pair.near());
  pair.actual = 2.0 / 1.26;
  EXPECT_FALSE(pair.near());
}

constexpr const char* kHeader =
    "==PROF== Connected\n\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Rule Name\",\"Rule "
    "Type\",\"Estimated "
    "Speedup Type\",\"Estimated Speedup\"\n";

TEST(NsightAdvice, IsReadFromADetailsPage) {
  const auto launches =
      read_nsight_advice(std::string(kHeader) +
                             "\"0\",\"k(int)\",\"(32, 32, 1)\",\"(8, 1, "
                             "1)\",\"SharedMemoryConflicts\",\"OPT\",\"global\",\"50\"\n"
                             "\"0\",\"k(int)\",\"(32, 32, 1)\",\"(8, 1, 1)\",\"CPIStall\",\"INF\",\"\",\"\"\n"
                             "\"1\",\"t<float>(int)\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"\",\"\",\"\",\"\"\n",
                         "x.csv");
  ASSERT_TRUE(launches) << launches.error().what;
  ASSERT_EQ(launches->size(), 2U);
  EXPECT_EQ((*launches)[0].kernel, "k");
  ASSERT_EQ((*launches)[0].advice.size(), 1U);
  EXPECT_DOUBLE_EQ((*launches)[0].advice[0].speedup, 2.0);
  EXPECT_TRUE((*launches)[0].advice[0].of_kernel);
  EXPECT_EQ((*launches)[1].kernel, "t");
  EXPECT_TRUE((*launches)[1].advice.empty());
}

TEST(NsightAdvice, RefusesOtherFiles) {
  for (const char* text : {"", "hello", "\"ID\",\"Kernel Name\"\n"}) {
    const auto launches = read_nsight_advice(text, "x.csv");
    ASSERT_FALSE(launches) << text;
    EXPECT_EQ(launches.error().code, ErrorCode::kUsage);
    EXPECT_THAT(launches.error().what, HasSubstr("x.csv"));
  }
}

TEST(NsightAdvice, TheRecordedDetailsPageIsRead) {
  const auto text = read_text_file(std::string(GPUPROBE_TESTS_DIR) + "/golden/nsight/direct_details.csv");
  ASSERT_TRUE(text);
  const auto launches = read_nsight_advice(*text, "direct_details.csv");
  ASSERT_TRUE(launches) << launches.error().what;
  ASSERT_GE(launches->size(), 2U);
  EXPECT_EQ((*launches)[0].kernel, "saxpy");
  EXPECT_EQ((*launches)[0].block, "(256, 1, 1)");
  EXPECT_FALSE((*launches)[0].advice.empty());
}

TEST(NsightAdvice, StandsBesideTheSameLaunchOnly) {
  const auto plan = transposes();
  const AccuracyLaunch& first = plan.front();
  DiagnosedRun one = run_of(first, first.one.entry.finding.front(), 1e-4);
  Accuracy accuracy = evaluate_accuracy(plan, {one});
  const Step& step = first.one.kernel.steps.front();
  NsightLaunch seen;
  seen.kernel = step.entry;
  seen.grid = "(128, 128, 1)";
  seen.block = "(32, 32, 1)";
  seen.advice = {{"UncoalescedGlobalAccess", 3.0, true}, {"CPIStall", 1.1, false}};
  ASSERT_TRUE(add_nsight(accuracy, plan, {seen}));
  ASSERT_TRUE(accuracy.judged[0].has_nsight);
  EXPECT_EQ(accuracy.judged[0].nsight_right, 1);
  EXPECT_THAT(accuracy_document(accuracy), HasSubstr("1 of 1 planted causes are named"));
  seen.kernel = "another";
  EXPECT_FALSE(add_nsight(accuracy, plan, {seen}));
}

TEST(AccuracyDocument, SaysWhatWasCountedAndWhatIsMissing) {
  const auto plan = transposes();
  DiagnosedRun tiled = run_of(find(plan, "transpose"), "bank-conflict-load", 1.5e-4);
  add_finding(tiled, FindingKind::kBankConflictLoad, Severity::kLimiting, 1.6, 2.0);
  const std::string text = accuracy_document(
      evaluate_accuracy(plan, {tiled, run_of(find(plan, "transpose --pad"), "dram-bound", 1e-4)}));
  EXPECT_THAT(text, HasSubstr("Measured on one NVIDIA H200"));
  EXPECT_THAT(text, HasSubstr("| launches whose verdict is the planted answer | 2 of 2 |"));
  EXPECT_THAT(text, HasSubstr("| measured gain inside the interval | 0 (0 %) |"));
  EXPECT_THAT(text, HasSubstr("planned launches have no run"));
}

}  // namespace
}  // namespace gpuprobe::cli
