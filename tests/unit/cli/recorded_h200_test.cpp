// Recordings of real H200 runs: diagnosed again without a GPU they give the planted answer, and a prediction
// of the same kernel counts the same and blames the same line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/kernel_commands.h"
#include "cli/profile.h"
#include "cli/session.h"
#include "cli/sources.h"

namespace gpuprobe::cli {
namespace {

struct Recording {
  const char* file;
  const char* verdict;  ///< the planted answer
  int line;             ///< of the worst site of the heading finding; 0 = nothing is wrong, or two lines tie
  const char* present = "";  ///< start of the kinds that cost a little beside the verdict
};
void PrintTo(const Recording& recording, std::ostream* out) {
  *out << recording.file;
}

// The lines are those of src/kernels/transpose/kernel.cu and src/kernels/matmul/kernel.cu.
const Recording kRecordings[] = {
    {"transpose_naive_write", "uncoalesced-store", 34},
    {"transpose_naive_read", "uncoalesced-load", 42},
    {"transpose_tiled", "bank-conflict-load", 82},
    {"transpose_pad", "latency-bound", 0},
    {"transpose_swizzle", "latency-bound", 0},
    {"transpose_f64", "bank-conflict-load", 82},
    {"transpose_f64_pad", "dram-bound", 0},
    {"transpose_u8", "bank-conflict-load", 82},
    {"matmul_naive", "lsu-bound", 0},
    {"matmul_swapped", "uncoalesced-load", 39},
    {"matmul_tile16", "lsu-bound", 0},
    {"matmul_tile32", "lsu-bound", 0},
    {"matmul_staged", "bank-conflict-load", 81},
    {"matmul_staged_pad", "lsu-bound", 0},
    {"rowsum_thread", "uncoalesced-load", 9},
    // Measured on an H200, the sequential variant gains 1.01x: the conflicts are there, and limit nothing.
    {"reduce_interleaved", "lsu-bound", 0, "bank-conflict"},
};

DiagnosedRun recorded(const std::string& name) {
  auto runs = read_report(std::string(GPUPROBE_TESTS_DIR) + "/golden/h200/" + name + ".json");
  EXPECT_TRUE(runs) << (runs ? "" : runs.error().what);
  return runs ? std::move(runs->front()) : DiagnosedRun{};
}

DiagnosedRun predicted(const gpuprobe::Run& like) {
  const KernelFamily* family = find_kernel_family(like.kernel);
  TypedValues values;
  for (const auto& [name, value] : like.options) values[name] = value;
  const auto kernel = build_kernel(*family, values);
  EXPECT_TRUE(kernel) << (kernel ? "" : kernel.error().what);
  SourceOptions options;
  options.source = "model";
  options.arch = like.device.arch;
  const auto sources = Sources::open(options);
  auto runs = profile(*kernel, *sources, {});
  EXPECT_TRUE(runs) << (runs ? "" : runs.error().what);
  return runs ? std::move(runs->front()) : DiagnosedRun{};
}

int heading_line(const DiagnosedRun& one) {
  if (one.diagnosis.findings.empty() || one.diagnosis.findings[0].severity != Severity::kLimiting) return 0;
  return one.diagnosis.findings[0].sites.empty() ? 0 : one.diagnosis.findings[0].sites[0].line;
}

class RecordedOnH200 : public testing::TestWithParam<Recording> {};

TEST_P(RecordedOnH200, GivesThePlantedAnswerAgain) {
  const DiagnosedRun one = recorded(GetParam().file);
  EXPECT_EQ(one.run.environment.device, "NVIDIA H200");
  EXPECT_EQ(one.diagnosis.verdict.kind, GetParam().verdict) << one.diagnosis.verdict.text;
  if (GetParam().line != 0) {
    EXPECT_EQ(heading_line(one), GetParam().line);
  }
  if (finding_kind_from_string(GetParam().verdict)) return;
  for (const Finding& finding : one.diagnosis.findings) {
    const std::string_view present = GetParam().present;
    const bool expected = !present.empty() && to_string(finding.kind).starts_with(present);
    EXPECT_EQ(finding.severity, expected ? Severity::kPresent : Severity::kNegligible) << finding.text;
  }
}

TEST_P(RecordedOnH200, APredictionCountsTheSameAndBlamesTheSameLine) {
  const DiagnosedRun measured = recorded(GetParam().file);
  const DiagnosedRun model = predicted(measured.run);
  for (const char* side : {"load", "store"})
    for (const char* what : {"requests", "sectors", "ideal_sectors"}) {
      const std::string name = std::string("global.") + side + "." + what;
      EXPECT_EQ(model.run.counters.number(name), measured.run.counters.number(name)) << name;
    }
  for (const char* side : {"load", "store"}) {
    const std::string name = std::string("shared.") + side + ".conflict_degree";
    const auto counted = measured.run.counters.number(name);
    const auto expected = model.run.counters.number(name);
    ASSERT_EQ(counted.has_value(), expected.has_value()) << name;
    if (counted) {
      EXPECT_DOUBLE_EQ(*expected, *counted) << name;
    }
  }
  EXPECT_EQ(model.run.counters.number("occupancy.blocks_per_sm"),
            measured.run.counters.number("occupancy.blocks_per_sm"));
  EXPECT_EQ(measured.run.counters.number("occupancy.blocks_per_sm.driver"),
            measured.run.counters.number("occupancy.blocks_per_sm"));
  const bool accused = finding_kind_from_string(measured.diagnosis.verdict.kind).has_value();
  if (const auto kind = finding_kind_from_string(model.diagnosis.verdict.kind); kind && !accused) {
    // A prediction cannot see that the warps hardly wait for it, but it names nothing that is not there.
    const auto& findings = measured.diagnosis.findings;
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&](const Finding& one) {
      return one.kind == *kind && one.severity == Severity::kPresent;
    })) << model.diagnosis.verdict.text;
    return;
  }
  EXPECT_EQ(finding_kind_from_string(model.diagnosis.verdict.kind).has_value(), accused)
      << model.diagnosis.verdict.text;
  if (accused) {
    EXPECT_EQ(model.diagnosis.verdict.kind, measured.diagnosis.verdict.kind);
    // Where two lines cost the same, either may come first.
    if (GetParam().line != 0) {
      EXPECT_EQ(heading_line(model), heading_line(measured));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, RecordedOnH200, testing::ValuesIn(kRecordings),
                         [](const auto& instance) { return std::string(instance.param.file); });

}  // namespace
}  // namespace gpuprobe::cli
