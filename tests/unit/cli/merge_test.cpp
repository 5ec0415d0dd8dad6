// Reports of several ranks made into one: which runs belong together, which one is shown, what is said of the
// rest.
#include "cli/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/rank.h"
#include "cli/session.h"

namespace gpuprobe::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

DiagnosedRun run_of(const std::string& kernel, double seconds, std::uint32_t blocks = 4) {
  DiagnosedRun one;
  one.run.kernel = kernel;
  one.run.steps = {{kernel, {{blocks, 1, 1}, {32, 1, 1}, 0, {}}, {}}};
  one.run.counters.set("time.duration", {seconds, Unit::kSecond, Origin::kRecorded, {}});
  one.run.counters.set("global.load.requests", {512.0, Unit::kRequest, Origin::kRecorded, {}});
  return one;
}

void add_finding(DiagnosedRun& one, FindingKind kind, Severity severity) {
  Finding finding;
  finding.kind = kind;
  finding.severity = severity;
  one.diagnosis.findings.push_back(finding);
}

TEST(Merge, ShowsTheSlowestRankWithTheSpread) {
  const auto merged = merge_reports({{"r0", {run_of("k", 1e-3)}},
                                     {"r1", {run_of("k", 4e-3)}},
                                     {"r2", {run_of("k", 2e-3)}},
                                     {"r3", {run_of("k", 3e-3)}}});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].run.counters.number("time.duration"), 4e-3);
  EXPECT_THAT(merged[0].run.notes, Contains(HasSubstr("in 4 of 4 reports; shown is r1")));
  EXPECT_THAT(merged[0].run.notes,
              Contains(HasSubstr("time.duration: min 1.0 ms, median 2.5 ms, max 4.0 ms (in r1)")));
  EXPECT_THAT(merged[0].run.notes, Not(Contains(HasSubstr("global.load.requests"))));
}

TEST(Merge, TellsConfigurationsApartOnlyWhereAReportHasBoth) {
  // Each rank has its own part of the domain, so the grids differ: still the same kernel.
  auto merged = merge_reports({{"r0", {run_of("k", 1e-3, 4)}}, {"r1", {run_of("k", 1e-3, 5)}}});
  EXPECT_EQ(merged.size(), 1u);
  merged = merge_reports({{"r0", {run_of("k", 1e-3, 4), run_of("k", 1e-3, 8)}},
                          {"r1", {run_of("k", 2e-3, 8), run_of("k", 3e-3, 16)}}});
  ASSERT_EQ(merged.size(), 3u);
  EXPECT_THAT(merged[0].run.notes, Contains(HasSubstr("in 1 of 2 reports; shown is r0")));
  EXPECT_EQ(merged[1].run.counters.number("time.duration"), 2e-3);
}

TEST(Merge, PairsRepeatedRunsInOrder) {
  const auto merged = merge_reports(
      {{"r0", {run_of("k", 1e-3), run_of("k", 5e-3)}}, {"r1", {run_of("k", 2e-3), run_of("k", 4e-3)}}});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].run.counters.number("time.duration"), 2e-3);
  EXPECT_EQ(merged[1].run.counters.number("time.duration"), 5e-3);
}

TEST(Merge, KeepsFindingsThatOnlyAFasterRankHas) {
  DiagnosedRun fast = run_of("k", 1e-3);
  DiagnosedRun slow = run_of("k", 2e-3);
  add_finding(fast, FindingKind::kBankConflictLoad, Severity::kLimiting);
  add_finding(slow, FindingKind::kTail, Severity::kPresent);
  const auto merged = merge_reports({{"fast", {fast}}, {"slow", {slow}}});
  ASSERT_EQ(merged[0].diagnosis.findings.size(), 2u);
  EXPECT_EQ(merged[0].diagnosis.findings[0].kind, FindingKind::kBankConflictLoad);
  EXPECT_THAT(merged[0].diagnosis.findings[0].text, HasSubstr("from fast"));
  EXPECT_THAT(merged[0].run.notes, Contains(HasSubstr("bank-conflict-load in 1 of 2 reports (in fast)")));
}

TEST(Merge, CountsWhereANumberIsMissing) {
  DiagnosedRun lacking = run_of("k", 2e-3);
  lacking.run.counters.set_missing("global.load.requests", "counters busy");
  const auto merged = merge_reports({{"r0", {run_of("k", 1e-3)}}, {"r1", {lacking}}});
  EXPECT_THAT(merged[0].run.notes,
              Contains(HasSubstr("global.load.requests: 512 requests; missing in 1 of 2 reports")));
}

TEST(Merge, OfNothingIsNothing) {
  EXPECT_TRUE(merge_reports({}).empty());
  EXPECT_TRUE(merge_reports({{"r0", {}}, {"r1", {}}}).empty());
}

TEST(Merge, RecordingsOfAGpu) {
  const std::string folder = std::string(GPUPROBE_TESTS_DIR) + "/golden/h200/";
  std::vector<NamedReport> reports;
  std::size_t runs = 0;
  for (const char* name : {"transpose_tiled.json", "transpose_tiled.json", "transpose_pad.json"}) {
    auto read = read_report(folder + name);
    ASSERT_TRUE(read) << read.error().what;
    runs = read->size();
    reports.push_back({name, std::move(*read)});
  }
  const auto merged = merge_reports(reports);
  ASSERT_EQ(merged.size(), 2 * runs) << "other options make another run";
  EXPECT_EQ(merged[0].diagnosis.verdict.kind, "bank-conflict-load");
  EXPECT_THAT(merged[0].run.notes, Contains(HasSubstr("in 2 of 3 reports")));
}

class RankTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) ::unsetenv(name);
  }
  void TearDown() override { SetUp(); }
  static constexpr const char* kNames[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
};

TEST_F(RankTest, IsTheLaunchersOwn) {
  EXPECT_EQ(rank_of_process(), std::nullopt);
  EXPECT_EQ(with_rank("report.%r.json"), "report.0.json");
  ::setenv("SLURM_PROCID", "7", 1);
  EXPECT_EQ(rank_of_process(), 7);
  ::setenv("PMI_RANK", "5", 1);
  EXPECT_EQ(rank_of_process(), 5);
  ::setenv("OMPI_COMM_WORLD_RANK", "12", 1);
  EXPECT_EQ(rank_of_process(), 12);
  EXPECT_EQ(with_rank("%r/report.%r.json"), "12/report.12.json");
  EXPECT_EQ(with_rank("report.json"), "report.json");
}

TEST_F(RankTest, OfGarbageIsNone) {
  for (const char* value : {"", "x", "-1", "3x", "99999999999999999999"}) {
    ::setenv("OMPI_COMM_WORLD_RANK", value, 1);
    EXPECT_EQ(rank_of_process(), std::nullopt) << value;
  }
}

TEST(Ranks, AreNumbersAndRanges) {
  EXPECT_EQ(*parse_ranks({"0,3"}), (std::vector<int>{0, 3}));
  EXPECT_EQ(*parse_ranks({"2-4", "7"}), (std::vector<int>{2, 3, 4, 7}));
  for (const char* text : {"x", "3-1", "-", "1-", "-1", "1,,2"}) EXPECT_FALSE(parse_ranks({text})) << text;
}

}  // namespace
}  // namespace gpuprobe::cli
