// --prove and --try: which changes are tried, what is compared, and what is said where a number is missing.
#include "cli/prove.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/kernel_commands.h"
#include "cli/profile.h"
#include "cli/user_file.h"
#include "report/writer.h"

namespace gpuprobe::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DiagnosedRun timed(std::optional<double> seconds) {
  DiagnosedRun one;
  if (seconds)
    one.run.counters.set("time.duration", {*seconds, Unit::kSecond, Origin::kMeasured, {}});
  else
    one.run.counters.set_missing("time.duration", "needs a GPU");
  one.diagnosis.verdict = {"dram-bound", ""};
  return one;
}

Change a_change() {
  return {"bank-conflict-load", "--pad", "pad", Gain{1.5, 2.0, ""}, fail(ErrorCode::kUsage, "", "")};
}

TEST(Prove, TheGainIsTheTimeBeforeOverTheTimeAfter) {
  const Proof proof = compare(a_change(), timed(3e-3), timed(2e-3));
  ASSERT_TRUE(proof.gain);
  EXPECT_DOUBLE_EQ(*proof.gain, 1.5);
  EXPECT_TRUE(proof.inside());
  EXPECT_TRUE(proof.gone);
  EXPECT_EQ(proof.after, "dram-bound");
  ASSERT_EQ(proof.metrics.size(), 1U);
  EXPECT_EQ(proof.metrics[0].metric, "time.duration");
}

TEST(Prove, BothEndsOfTheIntervalAreInside) {
  EXPECT_TRUE(compare(a_change(), timed(2.0), timed(1.0)).inside());
  EXPECT_FALSE(compare(a_change(), timed(2.001), timed(1.0)).inside());
  EXPECT_FALSE(compare(a_change(), timed(1.499), timed(1.0)).inside());
}

TEST(Prove, WithoutTimeTheReasonIsGivenAndNothingIsInside) {
  for (const auto& [before, after] :
       {std::pair{timed({}), timed(1.0)}, {timed(1.0), timed({})}, {timed({}), timed({})}}) {
    const Proof proof = compare(a_change(), before, after);
    EXPECT_FALSE(proof.gain);
    EXPECT_FALSE(proof.inside());
    EXPECT_EQ(proof.missing, "needs a GPU");
  }
}

TEST(Prove, AChangeThatMakesTheResultWrongHasNoGain) {
  DiagnosedRun after = timed(1.0);
  after.run.check.state = CheckOutcome::State::kFailed;
  after.diagnosis.verdict = {"wrong-result", "element 3 differs"};
  const Proof proof = compare(a_change(), timed(2.0), after);
  EXPECT_FALSE(proof.gain);
  EXPECT_THAT(proof.missing, HasSubstr("element 3 differs"));
}

TEST(Prove, AFindingThatIsStillPresentIsNotGone) {
  DiagnosedRun after = timed(1.0);
  Finding finding;
  finding.kind = FindingKind::kBankConflictLoad;
  finding.severity = Severity::kPresent;
  after.diagnosis.findings = {finding};
  EXPECT_FALSE(compare(a_change(), timed(2.0), after).gone);
  after.diagnosis.findings[0].severity = Severity::kNegligible;
  EXPECT_TRUE(compare(a_change(), timed(2.0), after).gone);
}

std::vector<DiagnosedRun> proved(const std::string& family_name, const std::string& options) {
  const KernelFamily* family = find_kernel_family(family_name);
  SourceOptions source;
  source.source = "model";
  const auto sources = Sources::open(source);
  const TypedValues values = with_options({}, options);
  const auto kernel = build_kernel(*family, values);
  EXPECT_TRUE(kernel);
  auto runs = profile(*kernel, *sources, {});
  EXPECT_TRUE(runs);
  prove(*runs, [&](const DiagnosedRun& before) { return own_cures(*family, values, before); }, *sources, {});
  return std::move(*runs);
}

TEST(Prove, WithoutAGpuTheCountersOfEveryCureArePredicted) {
  const auto runs = proved("transpose", "-n 512");
  ASSERT_EQ(runs.size(), 1U);
  ASSERT_EQ(runs[0].proofs.size(), 2U);
  EXPECT_EQ(runs[0].proofs[0].change, "--pad");
  EXPECT_EQ(runs[0].proofs[1].change, "--swizzle");
  for (const Proof& proof : runs[0].proofs) {
    EXPECT_FALSE(proof.gain);
    EXPECT_THAT(proof.missing, HasSubstr("GPU"));
    EXPECT_TRUE(proof.gone) << proof.after;
    const auto loads =
        std::find_if(proof.metrics.begin(), proof.metrics.end(),
                     [](const MetricChange& change) { return change.metric == "shared.load.wavefronts"; });
    ASSERT_NE(loads, proof.metrics.end());
    EXPECT_EQ(*loads->before, 32 * *loads->after);
  }
}

TEST(Prove, ACureOfSeveralFindingsIsTriedOnce) {
  const auto runs = proved("matmul", "-n 256 --tile 32 --stage-transposed");
  ASSERT_EQ(runs[0].proofs.size(), 1U);
  EXPECT_EQ(runs[0].proofs[0].change, "--pad");
}

TEST(Prove, ACleanKernelHasNothingToProve) {
  EXPECT_TRUE(proved("transpose", "-n 512 --pad")[0].proofs.empty());
}

TEST(Prove, EveryWriterForPeopleShowsIt) {
  Report report;
  report.runs = {timed(3e-3)};
  report.runs[0].proofs = {compare(a_change(), timed(3e-3), timed(2e-3)),
                           compare(a_change(), timed(3e-3), timed({}))};
  for (const char* format : {"text", "markdown"}) {
    const std::string text = report::find_writer(format)->write(report, {.width = 200});
    EXPECT_THAT(text, HasSubstr("--pad")) << format;
    EXPECT_THAT(text, HasSubstr("measured 1.5x faster, inside the interval")) << format;
    EXPECT_THAT(text, HasSubstr("not measured: needs a GPU")) << format;
  }
}

UserFile a_file() {
  UserFile file;
  file.source = {"k.cu", "__global__ void k(float* out) { out[threadIdx.x] = TILE; }\n"};
  file.directory = ".";
  user::LaunchEntry entry;
  entry.origin = "k.cu:1";
  entry.name = "k";
  entry.vars = {{"n", {user::Number{std::int64_t{32}}}}};
  entry.defines = {{"TILE", "n"}};
  entry.options = {"-DOTHER=1"};
  entry.grid = {"1"};
  entry.block = {"n"};
  entry.args = {"out:f32[1024]"};
  file.entries = {entry};
  return file;
}

TEST(Try, AMacroReplacesOneOfTheSameName) {
  const auto cases = user_cases_with(a_file(), {}, "TILE=16");
  ASSERT_TRUE(cases) << cases.error().what;
  EXPECT_TRUE((*cases)[0].kernel.defines.empty());
  EXPECT_THAT((*cases)[0].kernel.compile_options, testing::Contains("-DTILE=16"));
  const auto other = user_cases_with(a_file(), {}, "OTHER=2");
  ASSERT_TRUE(other);
  EXPECT_THAT((*other)[0].kernel.compile_options, testing::Not(testing::Contains("-DOTHER=1")));
  EXPECT_THAT((*other)[0].kernel.compile_options, testing::Contains("-DOTHER=2"));
}

TEST(Try, ANumberOfTheLaunchFactsIsSetAndWhatFollowsFromItToo) {
  const auto cases = user_cases_with(a_file(), {}, "n=64");
  ASSERT_TRUE(cases) << cases.error().what;
  EXPECT_EQ((*cases)[0].kernel.steps[0].launch.block.x, 64U);
  EXPECT_THAT((*cases)[0].kernel.defines, ElementsAre(std::pair<std::string, std::string>{"TILE", "64"}));
}

TEST(Try, WithoutNameOrValueItIsRefused) {
  for (const char* bad : {"", "=", "=3", "TILE"}) {
    const auto cases = user_cases_with(a_file(), {}, bad);
    ASSERT_FALSE(cases) << bad;
    EXPECT_EQ(cases.error().code, ErrorCode::kUsage);
    EXPECT_THAT(cases.error().what, HasSubstr("--try"));
  }
}

}  // namespace
}  // namespace gpuprobe::cli
