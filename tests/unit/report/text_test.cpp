#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "report/text/page.h"
#include "report/writer.h"
#include "support/report_builder.h"

namespace gpuprobe::report {
namespace {

using test::sample_report;
using testing::HasSubstr;
using testing::Not;

std::string text(const Report& report, WriteOptions options = {}) {
  const Writer* writer = find_writer("text");
  EXPECT_NE(writer, nullptr);
  return writer->write(report, options);
}

std::vector<std::string> lines_of(const std::string& content) {
  std::vector<std::string> lines;
  std::istringstream stream(content);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Spaces collapsed, so that a test does not depend on where lines break.
std::string flow(const std::string& content) {
  std::string out;
  for (char c : content)
    if (!(c == ' ' || c == '\n') || (!out.empty() && out.back() != ' ')) out += c == '\n' ? ' ' : c;
  return out;
}

void expect_clean_layout(const std::string& content, std::size_t width) {
  for (const std::string& line : lines_of(content)) {
    EXPECT_LE(columns(line), width) << line;
    EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
  }
}

TEST(TextWriter, VerdictComesBeforeFindingsAndNumbers) {
  const std::string content = text(sample_report());
  const auto heading = content.find("transpose --tile 32 --type f32");
  const auto verdict = content.find("verdict: bank-conflict-load");
  const auto finding = content.find("1. limiting: bank-conflict-load");
  const auto numbers = content.find("16,777,216");
  ASSERT_NE(heading, std::string::npos);
  EXPECT_LT(heading, verdict);
  EXPECT_LT(verdict, finding);
  EXPECT_LT(finding, numbers);
  EXPECT_NE(numbers, std::string::npos);
}

TEST(TextWriter, SaysWhatAFindingIsBasedOn) {
  const std::string content = flow(text(sample_report()));
  EXPECT_THAT(content, HasSubstr("transpose/kernel.cu:21"));
  EXPECT_THAT(content, HasSubstr("32.00 wavefronts a request, ideal 1.00; 524,288 requests"));
  EXPECT_THAT(content, HasSubstr("cured: 1.5x to 2.0x faster"));
  EXPECT_THAT(content, HasSubstr("Pad each row of the tile by one element"));
  EXPECT_THAT(content, HasSubstr("128 B more shared memory"));
  EXPECT_THAT(content, HasSubstr("right: 4096 of 16777216 elements compared"));
  EXPECT_THAT(
      content,
      HasSubstr("time 79.9 us, median of 15 (78.1 us to 83.0 us); useful bandwidth 1.7 TB/s (35 % of peak)"));
  EXPECT_THAT(content, HasSubstr("this chip has no such counter: l2.utilization"));
}

TEST(TextWriter, HeadingNamesTheSource) {
  Report report = sample_report();
  EXPECT_THAT(text(report), HasSubstr("measured on NVIDIA H200 (sm_90)"));
  report.runs[0].run.source = Origin::kPredicted;
  EXPECT_THAT(lines_of(text(report))[0], HasSubstr("predicted for sm_90 (NVIDIA H200)"));
  report.runs[0].run.source = Origin::kRecorded;
  report.runs[0].run.recorded_from = "measured";
  EXPECT_THAT(text(report), HasSubstr("recorded on NVIDIA H200 (sm_90)"));
  report.runs[0].run.recorded_from = "predicted";
  EXPECT_THAT(text(report), HasSubstr("recorded, predicted for NVIDIA H200 (sm_90)"));
}

TEST(TextWriter, LayoutHoldsAtEveryVerbosityAndColourChangesNothingElse) {
  Report report = sample_report();
  report.runs[0].diagnosis.findings.push_back(test::sample_finding(Severity::kNegligible));
  report.runs[0].drawings = {
      {"transpose/kernel.cu", 21, "ld.shared.f32", AccessKind::kSharedLoad, test::strided(128), {}}};
  for (int lane = 0; lane < 32; ++lane) report.runs[0].drawings[0].rounds.push_back({0, {lane}});
  report.runs.push_back(report.runs[0]);
  for (int verbosity : {0, 1}) {
    const std::string plain = text(report, {.verbosity = verbosity});
    expect_clean_layout(plain, 80);
    EXPECT_THAT(plain, Not(HasSubstr("\033")));
    std::string colored = text(report, {.color = true, .verbosity = verbosity});
    EXPECT_THAT(colored, HasSubstr("\033[1;31m"));
    std::string stripped;
    for (std::size_t i = 0; i < colored.size(); ++i) {
      if (colored[i] == '\033') {
        i = colored.find('m', i);
        continue;
      }
      stripped += colored[i];
    }
    EXPECT_EQ(stripped, plain);
  }
}

TEST(TextWriter, QuietIsOneLineARun) {
  Report report = sample_report();
  report.runs.push_back(report.runs[0]);
  const auto lines = lines_of(text(report, {.verbosity = -1}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "transpose --tile 32 --type f32: bank-conflict-load: Shared loads conflict 32-way at "
            "transpose/kernel.cu:21.");
}

TEST(TextWriter, VerboseAddsEveryMetricSiteAndCounter) {
  const std::string brief = text(sample_report());
  const std::string full = text(sample_report(), {.verbosity = 1});
  EXPECT_THAT(brief, Not(HasSubstr("gpu__time_duration.sum")));
  EXPECT_THAT(full, HasSubstr("time.duration: gpu__time_duration.sum"));
  const Report report = sample_report();
  for (const auto& [name, metric] : report.runs[0].run.counters.all()) EXPECT_THAT(full, HasSubstr(name));
}

TEST(TextWriter, WrongResultsAndMissingChecksAreSaid) {
  Report report = sample_report();
  report.runs[0].run.check = {CheckOutcome::State::kFailed, "element 17 is 3, expected 4", 100, 1, 1.0};
  EXPECT_THAT(text(report), HasSubstr("WRONG: element 17 is 3, expected 4"));
  report.runs[0].run.check = {};
  EXPECT_THAT(text(report), HasSubstr("not checked"));
  report.runs[0].run.check.text = "it has no reference";
  EXPECT_THAT(text(report), HasSubstr("not checked: it has no reference"));
}

TEST(TextWriter, ALibraryCallHasNoLaunchToShow) {
  Report report = sample_report();
  report.runs[0].run.steps = {Step::library_call("cublasSgemm", {})};
  EXPECT_THAT(text(report), HasSubstr("cublasSgemm, which launches kernels of its own choice"));
  EXPECT_THAT(text(report), Not(HasSubstr("grid ")));
}

TEST(TextWriter, RatiosToWhatTheKernelDoesNotDoAreLeftToVerbose) {
  Report report = sample_report();
  Counters& counters = report.runs[0].run.counters;
  counters.set("shared.atomic.requests", {0.0, Unit::kRequest, Origin::kMeasured, {}});
  counters.set_missing("shared.atomic.wavefronts_per_request", "no shared.atomic.requests");
  counters.set_missing("odd", "no counter of that name");
  EXPECT_THAT(text(report), Not(HasSubstr("shared.atomic.wavefronts_per_request")));
  EXPECT_THAT(flow(text(report)), HasSubstr("no counter of that name: odd"));
  EXPECT_THAT(text(report, {.verbosity = 1}), HasSubstr("shared.atomic.wavefronts_per_request"));
}

TEST(TextWriter, SamplingIsSaid) {
  Report report = sample_report();
  report.runs[0].run.sampling = Sampling{16384, 12};
  EXPECT_THAT(flow(text(report)), HasSubstr("12 of 16,384 blocks executed, the counts are scaled"));
  report.runs[0].run.sampling = Sampling{16384, 16384};
  EXPECT_THAT(flow(text(report)), HasSubstr("all 16,384 blocks executed: the counts are exact"));
  report.runs[0].run.sampling = Sampling{16384, 12, true};
  EXPECT_THAT(flow(text(report)), HasSubstr("12 of 16,384 blocks had run when the time limit was reached"));
}

TEST(TextWriter, ManyMissingNumbersAreSummarisedByReason) {
  Report report = sample_report();
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"})
    report.runs[0].run.counters.set_missing(name, "needs a GPU");
  EXPECT_THAT(flow(text(report)), HasSubstr("needs a GPU: a, b, c, d and 3 more"));
  EXPECT_THAT(flow(text(report, {.verbosity = 1})), HasSubstr("needs a GPU: a, b, c, d, e, f, g"));
}

TEST(TextWriter, HazardsAreListedUnlessAFindingNamesThem) {
  Report report = sample_report();
  report.runs[0].run.hazards = {
      {HazardKind::kSharedRace, "warp 0 reads what warp 1 stores", {{"a.cu", 3}, {"a.cu", 9}}, 5}};
  EXPECT_THAT(flow(text(report)),
              HasSubstr("shared-race: warp 0 reads what warp 1 stores at a.cu:3, a.cu:9 (5 times)"));
  report.runs[0].diagnosis.findings[0].kind = FindingKind::kSharedRace;
  EXPECT_THAT(flow(text(report)), Not(HasSubstr("warp 0 reads")));
}

TEST(TextWriter, SurvivesEmptyAndExtremeInput) {
  EXPECT_EQ(text(Report{}), "no launches\n");
  Report report;
  report.runs.emplace_back();
  EXPECT_FALSE(text(report, {.verbosity = 1}).empty());
  report = sample_report();
  gpuprobe::Run& run = report.runs[0].run;
  run.kernel = "bad\033[31mname\n" + std::string(300, 'x');
  run.sites[0].requests = std::numeric_limits<double>::quiet_NaN();
  run.counters.set("global.load.sectors",
                   {std::numeric_limits<double>::infinity(), Unit::kSector, Origin::kMeasured, {}});
  report.runs[0].diagnosis.findings[0].gain = Gain{std::numeric_limits<double>::quiet_NaN(), 1, ""};
  const std::string content = text(report, {.width = 1, .verbosity = 1});
  EXPECT_THAT(content, Not(HasSubstr("\033")));
  EXPECT_THAT(content, Not(HasSubstr("nan")));
  EXPECT_THAT(content, Not(HasSubstr("inf ")));
}

TEST(Page, WrapKeepsWordsAndNeverExceedsTheWidth) {
  EXPECT_EQ(wrap("aa bb cc", 5), (std::vector<std::string>{"aa bb", "cc"}));
  EXPECT_EQ(wrap("", 5), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap("   ", 5), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap("longerthanfive x", 5), (std::vector<std::string>{"longerthanfive", "x"}));
  EXPECT_EQ(columns("\xC3\xA4x"), 2u);
}

}  // namespace
}  // namespace gpuprobe::report
