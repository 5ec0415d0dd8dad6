// `gpuprobe accuracy`: the plan, the judgement of planted answers and of gains, and Nsight's advice beside
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/accuracy/document.h"
#include "cli/accuracy/evaluate.h"
#include "cli/session.h"

namespace gpuprobe::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  GainPair pair{0, "", "", "", Gain{1.0, 4.0, ""}, 2.0, false, {}};
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
    "Type\",\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n";

TEST(NsightAdvice, IsReadFromADetailsPage) {
  const auto launches = read_nsight_advice(
      std::string(kHeader) +
          "\"0\",\"k(int)\",\"(32, 32, 1)\",\"(8, 1, 1)\",\"SharedMemoryConflicts\",\"OPT\",\"access pattern "
          "for "
          "shared loads, and so on\",\"global\",\"50\"\n"
          "\"0\",\"k(int)\",\"(32, 32, 1)\",\"(8, 1, 1)\",\"SOLBottleneck\",\"OPT\",\"x\",\"\",\"\"\n"
          "\"0\",\"k(int)\",\"(32, 32, 1)\",\"(8, 1, 1)\",\"CPIStall\",\"INF\",\"x\",\"\",\"\"\n"
          "\"1\",\"void n::t<float>(int)\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"\",\"\",\"\",\"\",\"\"\n",
      "x.csv");
  ASSERT_TRUE(launches) << launches.error().what;
  ASSERT_EQ(launches->size(), 2U);
  EXPECT_EQ((*launches)[0].kernel, "k");
  ASSERT_EQ((*launches)[0].advice.size(), 2U);
  EXPECT_DOUBLE_EQ((*launches)[0].advice[0].speedup, 2.0);
  EXPECT_TRUE((*launches)[0].advice[0].of_kernel);
  EXPECT_TRUE((*launches)[0].advice[0].names(FindingKind::kBankConflictLoad));
  EXPECT_FALSE((*launches)[0].advice[0].names(FindingKind::kBankConflictStore));
  EXPECT_EQ((*launches)[0].advice[1].speedup, 0) << "no estimate is not a speed-up of 1";
  EXPECT_EQ((*launches)[1].kernel, "t");
  EXPECT_TRUE((*launches)[1].advice.empty());
}

TEST(NsightAdvice, TheNameIsThatOfTheEntry) {
  EXPECT_EQ(bare_kernel_name("saxpy(float, const float *)"), "saxpy");
  EXPECT_EQ(bare_kernel_name("saxpy"), "saxpy");
  EXPECT_EQ(bare_kernel_name("void a::b::t<a::c, (int)32>(float *)"), "t");
  EXPECT_EQ(bare_kernel_name("void <unnamed>::t<4>(int)"), "t");
  EXPECT_EQ(bare_kernel_name("(anonymous namespace)::t(int)"), "t");
  EXPECT_EQ(bare_kernel_name(""), "");
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
  ASSERT_EQ(launches->size(), 2U);
  EXPECT_EQ((*launches)[0].kernel, "saxpy");
  EXPECT_EQ((*launches)[0].block, "(256, 1, 1)");
  ASSERT_EQ((*launches)[0].advice.size(), 2U);
  EXPECT_EQ((*launches)[0].advice[0].subject, NsightAdvice::Subject::kSymptom);
  EXPECT_EQ((*launches)[0].advice[0].speedup, 0);
  EXPECT_EQ((*launches)[0].advice[1].rule, "AchievedOccupancy");
  EXPECT_NEAR((*launches)[0].advice[1].speedup, 1 / (1 - 0.2589), 1e-9);
  EXPECT_FALSE((*launches)[0].advice[1].of_kernel);
  EXPECT_TRUE((*launches)[1].advice.empty()) << "what is only said for information is no advice";
}

TEST(NsightAdvice, EveryRuleThatWasRecordedIsKnown) {
  // The rules that 2025.3.1 printed over the 37 kernels of the recorded table, with its own words.
  std::ifstream table(std::string(GPUPROBE_TESTS_DIR) + "/data/truth/kernels_h200.tsv");
  std::set<std::string> rules;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line.substr(line.rfind('\t') + 1));
    for (std::string word; words >> word;)
      if (const std::size_t colon = word.find(':'); colon != std::string::npos)
        rules.insert(word.substr(0, colon));
  }
  EXPECT_GE(rules.size(), 12U);
  for (const std::string& rule : rules)
    EXPECT_NE(
        classify_nsight_advice(rule, "global loads shared loads number of required registers partial wave")
            .subject,
        NsightAdvice::Subject::kUnknown)
        << rule;
  EXPECT_EQ(classify_nsight_advice("NewRule", "").subject, NsightAdvice::Subject::kUnknown);
}

TEST(NsightAdvice, TheTextTellsWhichCauseARuleMeans) {
  const auto names = [](const char* rule, const char* text, FindingKind kind) {
    return classify_nsight_advice(rule, text).names(kind);
  };
  using K = FindingKind;
  const char* const both =
      "is limited by the number of required registers, and the required amount of shared memory.";
  EXPECT_TRUE(names("TheoreticalOccupancy", both, K::kOccupancyRegisters));
  EXPECT_TRUE(names("TheoreticalOccupancy", both, K::kOccupancyShared));
  EXPECT_FALSE(
      names("TheoreticalOccupancy", "limited by the number of required registers.", K::kOccupancyShared));
  EXPECT_TRUE(names("LaunchConfiguration", "configured to execute only 64 blocks", K::kGridTooSmall));
  EXPECT_TRUE(names("LaunchConfiguration", "3 full waves and a partial wave of 929", K::kTail));
  EXPECT_FALSE(names("LaunchConfiguration", "3 full waves and a partial wave of 929", K::kGridTooSmall));
  EXPECT_TRUE(
      names("LaunchConfiguration", "executed in groups of 32 threads called warps", K::kPartialWarps));
  EXPECT_TRUE(names("MemoryCacheAccessPattern", "pattern for global stores to L2", K::kUncoalescedStore));
  EXPECT_FALSE(names("MemoryCacheAccessPattern", "pattern for global stores to L2", K::kUncoalescedLoad));
  EXPECT_TRUE(names("WorkloadImbalance", "One or more SMs have a much lower number", K::kImbalance));
  EXPECT_FALSE(names("WorkloadImbalance", "One or more L2 Slices have a much higher number", K::kImbalance));
}

/// What Nsight writes of the steps of a launch.
std::vector<NsightLaunch> seen_by_nsight(const AccuracyLaunch& launch, std::vector<NsightAdvice> advice) {
  std::vector<NsightLaunch> seen;
  for (const Step& step : launch.one.kernel.steps) {
    const auto text = [](const Dim3& dim) {
      return "(" + std::to_string(dim.x) + ", " + std::to_string(dim.y) + ", " + std::to_string(dim.z) + ")";
    };
    seen.push_back({bare_kernel_name(step.entry), text(step.launch.grid), text(step.launch.block), advice});
  }
  return seen;
}

NsightAdvice advice_of(const char* rule, const char* text, double speedup) {
  NsightAdvice advice = classify_nsight_advice(rule, text);
  advice.speedup = speedup;
  advice.of_kernel = true;
  return advice;
}

TEST(NsightBeside, AnAdviceIsRightFalseOrASymptomAndItsEstimateStandsBesideOurs) {
  const auto plan = transposes();
  DiagnosedRun tiled = run_of(find(plan, "transpose"), "bank-conflict-load", 1.5e-4);
  add_finding(tiled, FindingKind::kBankConflictLoad, Severity::kLimiting, 1.4, 2.0);
  const DiagnosedRun padded = run_of(find(plan, "transpose --pad"), "dram-bound", 1e-4);
  Accuracy accuracy = evaluate_accuracy(plan, {tiled, padded});
  auto seen =
      seen_by_nsight(find(plan, "transpose"), {advice_of("SharedMemoryConflicts", "shared loads", 1.6),
                                               advice_of("UncoalescedGlobalAccess", "", 3),
                                               advice_of("CPIStall", "", 1.1), advice_of("NewRule", "", 9)});
  const auto of_padded =
      seen_by_nsight(find(plan, "transpose --pad"), {advice_of("FPInstructions", "", 1.2)});
  seen.insert(seen.end(), of_padded.begin(), of_padded.end());
  ASSERT_TRUE(add_nsight(accuracy, plan, seen, {tiled, padded}));
  ASSERT_EQ(accuracy.pairs.size(), 1U);
  ASSERT_EQ(accuracy.pairs[0].nsight.size(), 1U);
  EXPECT_TRUE(accuracy.pairs[0].nsight_near());
  const std::string text = accuracy_document(accuracy, "");
  EXPECT_THAT(text, HasSubstr("2 launches were seen by both. 1 of 1 planted causes are named"));
  EXPECT_THAT(text, HasSubstr("0 of 1 clean kernels are accused\nof nothing; 2 (40 %) of 5 pieces"));
  EXPECT_THAT(text, HasSubstr("| bank-conflict-load | 1 | 1 | 4 | 1 | 0 | 1 | 1 | 1 |"));
  EXPECT_THAT(text, HasSubstr("| none | 1 | 0 | 1 | 0 | 0 | 1 | 0 | 0 |"));
  EXPECT_THAT(text, HasSubstr("| UncoalescedGlobalAccess | 1 | 0 | 0 | 1 | 0 | 0 |"));
  EXPECT_THAT(text, HasSubstr("| yes | 1.60 |"));
  EXPECT_THAT(text, HasSubstr("within 25 % of the measured gain | 1 of 1 |"));
}

TEST(NsightBeside, LaunchesThatLookAlikeAreTakenInTheirOrder) {
  const auto plan = accuracy_plan({}, {"stride"});
  ASSERT_TRUE(plan);
  const AccuracyLaunch& two = find(*plan, "stride --stride 2");
  const AccuracyLaunch& four = find(*plan, "stride --stride 4");
  const DiagnosedRun run_two = run_of(two, "dram-bound", 1e-4), run_four = run_of(four, "dram-bound", 1e-4);
  ASSERT_EQ(seen_by_nsight(two, {}).front().grid, seen_by_nsight(four, {}).front().grid);
  Accuracy accuracy = evaluate_accuracy(*plan, {run_two, run_four});
  // The order of the watched program counts, not that of the plan.
  auto seen = seen_by_nsight(four, {advice_of("CPIStall", "", 4)});
  const auto of_two = seen_by_nsight(two, {advice_of("CPIStall", "", 2)});
  seen.insert(seen.end(), of_two.begin(), of_two.end());
  ASSERT_TRUE(add_nsight(accuracy, *plan, seen, {run_four, run_two}));
  for (const JudgedLaunch& one : accuracy.judged) {
    ASSERT_TRUE(one.nsight) << one.label;
    EXPECT_EQ(one.nsight->front().speedup, one.label == four.label ? 4 : 2);
  }
}

TEST(NsightBeside, WhatDoesNotLineUpIsRefused) {
  const auto plan = transposes();
  const AccuracyLaunch& tiled = find(plan, "transpose");
  const DiagnosedRun one = run_of(tiled, "bank-conflict-load", 1e-4);
  Accuracy accuracy = evaluate_accuracy(plan, {one});
  const auto refusal = [&](const std::vector<NsightLaunch>& seen, const std::vector<DiagnosedRun>& shown) {
    const Status status = add_nsight(accuracy, plan, seen, shown);
    return status ? std::string("accepted") : status.error().what;
  };
  auto seen = seen_by_nsight(tiled, {});
  EXPECT_THAT(refusal({}, {one}), HasSubstr("saw 0 launches"));
  EXPECT_THAT(refusal(seen, {}), HasSubstr("gpuprobe made 0"));
  auto twice = seen;
  twice.insert(twice.end(), seen.begin(), seen.end());
  EXPECT_THAT(refusal(twice, {one}), HasSubstr("saw 2 launches"));
  EXPECT_THAT(refusal(twice, {one, one}), HasSubstr("run 2"));
  seen[0].grid = "(1, 1, 1)";
  EXPECT_THAT(refusal(seen, {one}), HasSubstr("launch 1 does not line up"));
  seen = seen_by_nsight(tiled, {});
  seen[0].kernel = "another";
  EXPECT_THAT(refusal(seen, {one}), HasSubstr("saw another"));
}

TEST(AccuracyDocument, SaysWhatWasCountedAndWhatIsMissing) {
  const auto plan = transposes();
  DiagnosedRun tiled = run_of(find(plan, "transpose"), "bank-conflict-load", 1.5e-4);
  add_finding(tiled, FindingKind::kBankConflictLoad, Severity::kLimiting, 1.6, 2.0);
  const std::string text = accuracy_document(
      evaluate_accuracy(plan, {tiled, run_of(find(plan, "transpose --pad"), "dram-bound", 1e-4)}), "");
  EXPECT_THAT(text, HasSubstr("| launches whose verdict is the planted answer | 2 of 2 |"));
  EXPECT_THAT(text, HasSubstr("| measured gain inside the interval | 0 (0 %) |"));
  EXPECT_THAT(text, HasSubstr("Planned, but without a run"));
  EXPECT_THAT(text, Not(HasSubstr("Nsight")));
}

TEST(AccuracyDocument, TheHeadingSaysWhichRunsWereJudged) {
  const auto plan = transposes();
  DiagnosedRun tiled = run_of(find(plan, "transpose"), "bank-conflict-load", 1.5e-4);
  DiagnosedRun padded = run_of(find(plan, "transpose --pad"), "dram-bound", 1e-4);
  tiled.run.environment.date = "2026-11-30T08:02:35Z";
  padded.run.environment.date = "2026-11-29T03:04:34Z";
  const auto text = [&](const char* from) {
    return accuracy_document(evaluate_accuracy(plan, {tiled, padded}), from);
  };
  EXPECT_THAT(text(""),
              HasSubstr("2 runs on one kind of machine (NVIDIA H200), between 2026-11-29T03:04:34Z and "
                        "2026-11-30T08:02:35Z.\nNot calibrated"));
  EXPECT_THAT(text(""), HasSubstr("which ran all of them"));
  EXPECT_THAT(text("/some/where/runs.json"), HasSubstr("`gpuprobe accuracy --from runs.json`"));
  padded.run.environment.driver = "1.2";
  padded.run.device.calibration.emplace().source = "NVIDIA H200, today";
  EXPECT_THAT(text(""), HasSubstr("2 runs on different kinds of machine:\n\n- NVIDIA H200: 1 run, at "
                                  "2026-11-30T08:02:35Z\n- NVIDIA H200, driver 1.2: 1 run"));
  EXPECT_THAT(text(""),
              HasSubstr("Calibrated: 1 of 2 runs were judged with the unit costs of NVIDIA H200, today."));
}

}  // namespace
}  // namespace gpuprobe::cli
