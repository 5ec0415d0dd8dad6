// What `gpuprobe app` recorded of tests/gpu/app/ten.cu on an H200 (tests/golden/app): read and judged again,
// the way the command does it, and merged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command_line.h"
#include "cli/spooled_runs.h"
#include "metrics/recorded/spool.h"

namespace gpuprobe::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;

const std::string kFolder = std::string(GPUPROBE_RECORDINGS_DIR) + "/app";

recorded::Spool recorded_spool() {
  auto spool = recorded::read_spool(kFolder + "/spool");
  if (!spool) {
    ADD_FAILURE() << spool.error().what;
    return {};
  }
  return std::move(*spool);
}

const DiagnosedRun& find(const std::vector<DiagnosedRun>& runs, const std::string& kernel) {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const DiagnosedRun& one) { return one.run.kernel == kernel; });
  static const DiagnosedRun kNone;
  if (found != runs.end()) return *found;
  ADD_FAILURE() << "no run of " << kernel;
  return kNone;
}

TEST(RecordedProgram, EveryLaunchIsAccountedFor) {
  const auto spool = recorded_spool();
  EXPECT_TRUE(spool.notes.empty());
  EXPECT_EQ(spool.kernels.size(), 13U);
  EXPECT_EQ(spool.processes, 1);
  // Two passes of 24 launches; in the second one, no kernel is new.
  EXPECT_EQ(account_of(spool), "13 kernel configurations, 48 launches: 12 measured, 34 counted, 2 skipped");
}

TEST(RecordedProgram, HasThePlantedVerdictsAtTheirLines) {
  const auto runs = diagnose_spool(recorded_spool());
  ASSERT_EQ(runs.size(), 13U);
  struct Planted {
    const char* kernel;
    const char* verdict;
    int line;
  };
  for (const Planted& planted :
       {Planted{"transpose_naive", "uncoalesced-store", 41},
        Planted{"transpose_tile", "bank-conflict-load", 49}, Planted{"strided", "uncoalesced-load", 36}}) {
    const DiagnosedRun& one = find(runs, planted.kernel);
    EXPECT_EQ(one.diagnosis.verdict.kind, planted.verdict) << planted.kernel;
    ASSERT_FALSE(one.diagnosis.findings.empty()) << planted.kernel;
    ASSERT_FALSE(one.diagnosis.findings[0].sites.empty()) << planted.kernel;
    EXPECT_EQ(one.diagnosis.findings[0].sites[0].line, planted.line) << planted.kernel;
    EXPECT_THAT(one.diagnosis.findings[0].sites[0].file, HasSubstr("ten.cu"));
  }
  for (const char* clean : {"add", "increment", "fill", "dynamic"})
    EXPECT_TRUE(find(runs, clean).diagnosis.findings.empty()) << clean;
  EXPECT_EQ(find(runs, "transpose_tile").run.counters.number("shared.load.wavefronts_per_request"), 32);
  EXPECT_EQ(find(runs, "add").run.counters.number("global.load.requests"), 65536);
}

TEST(RecordedProgram, ACooperativeLaunchIsSkippedWithItsReason) {
  const auto runs = diagnose_spool(recorded_spool());
  const DiagnosedRun& one = find(runs, "two_phases");
  EXPECT_THAT(one.run.notes, Contains(HasSubstr("cooperative")));
  EXPECT_FALSE(one.run.counters.number("global.load.requests"));
}

}  // namespace
}  // namespace gpuprobe::cli
