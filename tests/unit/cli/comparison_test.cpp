#include "cli/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuprobe::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

DiagnosedRun run_of(const std::string& kernel, double sectors, double seconds, const std::string& verdict) {
  DiagnosedRun one;
  one.run.kernel = kernel;
  one.run.device.name = "NVIDIA H200";
  one.run.source = Origin::kMeasured;
  one.run.counters.set("global.store.sectors", {sectors, Unit::kSector, Origin::kMeasured, {}});
  one.run.counters.set("global.load.sectors", {7.0, Unit::kSector, Origin::kMeasured, {}});
  one.run.counters.set("time.duration", {seconds, Unit::kSecond, Origin::kMeasured, {}});
  one.diagnosis.verdict.kind = verdict;
  return one;
}

TEST(Comparison, ShowsWhatDiffersAndOnlyThat) {
  DiagnosedRun before = run_of("transpose", 800, 3e-4, "uncoalesced-store");
  Finding finding;
  finding.kind = FindingKind::kUncoalescedStore;
  finding.severity = Severity::kLimiting;
  before.diagnosis.findings = {finding};
  const std::string text = compare_runs(before, run_of("transpose", 100, 1e-4, "none"));
  EXPECT_THAT(text, HasSubstr("3.00 times faster"));
  EXPECT_THAT(text, HasSubstr("uncoalesced-store before, none after"));
  EXPECT_THAT(text, HasSubstr("Gone: uncoalesced-store."));
  EXPECT_THAT(text, Not(HasSubstr("New:")));
  EXPECT_THAT(text, HasSubstr("global.store.sectors"));
  EXPECT_THAT(text, HasSubstr("x 0.125"));
  EXPECT_THAT(text, Not(HasSubstr("global.load.sectors")));
}

TEST(Comparison, GivesNoRatioWhereThereIsNone) {
  DiagnosedRun predicted = run_of("transpose", 100, 1, "none");
  predicted.run.counters.set_missing("time.duration", "needs a GPU");
  EXPECT_THAT(compare_runs(predicted, run_of("transpose", 100, 1, "none")),
              HasSubstr("not measured in both"));
  DiagnosedRun elsewhere = run_of("transpose", 100, 2, "none");
  elsewhere.run.device.name = "Tesla T4";
  EXPECT_THAT(compare_runs(elsewhere, run_of("transpose", 100, 1, "none")), HasSubstr("different devices"));
}

TEST(Comparison, EqualRunsDifferInNothing) {
  const DiagnosedRun one = run_of("transpose", 100, 1, "none");
  EXPECT_THAT(compare_runs(one, one), HasSubstr("No metric differs."));
}

TEST(Comparison, PairsTheSameInvocationsFirst) {
  const std::vector<DiagnosedRun> before{run_of("a", 1, 1, ""), run_of("b", 1, 1, "")};
  const std::vector<DiagnosedRun> after{run_of("b", 1, 1, ""), run_of("c", 1, 1, "")};
  const auto pairs = pair_runs(before, after);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].first->run.kernel, "b");
  EXPECT_EQ(pairs[0].second->run.kernel, "b");
  EXPECT_EQ(pairs[1].first->run.kernel, "a");
  EXPECT_EQ(pairs[1].second->run.kernel, "c");
  EXPECT_TRUE(pair_runs(before, {}).empty());
}

}  // namespace
}  // namespace gpuprobe::cli
