// The writers for other programs: what they write is parsed back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/wait.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "metrics/recorded/csv.h"
#include "report/writer.h"
#include "support/arbitrary_report.h"
#include "support/report_builder.h"
#include "support/temporary_folder.h"

namespace gpuprobe::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string write(const char* format, const Report& report, WriteOptions options = {}) {
  const Writer* writer = find_writer(format);
  EXPECT_NE(writer, nullptr) << format;
  return writer->write(report, options);
}

std::vector<std::string> lines_of(const std::string& content) {
  std::vector<std::string> lines;
  std::istringstream stream(content);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Report hostile_report() {
  Report report = test::sample_report();
  report.runs[0].run.kernel = "::error::x\n<script>|`%0A,\"\x01";
  report.runs[0].diagnosis.findings[0].sites[0].file = "a dir/ke,rn:el%.cu";
  report.runs[0].diagnosis.findings[0].text = "50 % of\nit, \"x\" <b> & y | z";
  report.runs[0].diagnosis.verdict.text = "<b> | y";
  return report;
}

TEST(Writers, AreListedSortedWithHelp) {
  std::vector<std::string> names;
  for (const Writer& writer : writers()) {
    names.push_back(writer.name);
    EXPECT_FALSE(writer.help.empty());
    EXPECT_EQ(find_writer(writer.name), &writer);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"csv", "github", "json", "junit", "markdown", "sarif", "text"}));
  EXPECT_EQ(find_writer("Text"), nullptr);
  EXPECT_EQ(find_writer(""), nullptr);
}

TEST(Writers, TakeAnyReport) {
  EXPECT_TRUE(rc::check("every format, twice the same", [] {
    const Report report = test::a_report();
    for (const Writer& writer : writers())
      for (int verbosity : {-1, 0, 1}) {
        const WriteOptions options{false, 80, verbosity};
        RC_ASSERT(writer.write(report, options) == writer.write(report, options));
      }
  }));
}

TEST(CsvWriter, ARowForEachMetricExactly) {
  const Report report = test::sample_report();
  const std::string text = write("csv", report);
  recorded::CsvReader reader(text);
  const auto header = reader.next();
  ASSERT_TRUE(header);
  std::map<std::string, std::vector<std::string>> rows;
  while (const auto record = reader.next()) {
    ASSERT_EQ(record->fields.size(), header->fields.size());
    rows[record->fields[5]] = record->fields;
  }
  EXPECT_EQ(rows.size(), report.runs[0].run.counters.all().size());
  EXPECT_EQ(rows["shared.load.wavefronts"][6], "16777216");
  EXPECT_EQ(rows["time.duration"][6], "7.99e-05");
  EXPECT_EQ(rows["time.duration"][7], "s");
  EXPECT_EQ(rows["l2.utilization"][6], "");
  EXPECT_EQ(rows["l2.utilization"][9], "this chip has no such counter");
}

TEST(CsvWriter, NumbersReadBackAndNothingIsNotANumber) {
  Report report = test::sample_report();
  report.runs[0].run.counters = {};
  test::set(report.runs[0].run.counters, "a", 1.0 / 3, Unit::kRatio, Origin::kMeasured);
  test::set(report.runs[0].run.counters, "b", std::nan(""), Unit::kRatio, Origin::kMeasured);
  const std::string text = write("csv", report);
  recorded::CsvReader reader(text);
  reader.next();
  EXPECT_EQ(std::stod(reader.next()->fields[6]), 1.0 / 3);
  EXPECT_EQ(reader.next()->fields[6], "");
}

TEST(GithubWriter, AnnotatesTheWorstPlace) {
  const auto lines = lines_of(write("github", test::sample_report()));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(
      lines[0].rfind(
          "::warning file=transpose/kernel.cu,line=21,title=bank-conflict-load::transpose --tile 32", 0),
      0u);
  EXPECT_THAT(lines[0], HasSubstr("%0APad each row"));
}

TEST(GithubWriter, NegligibleIsSilentAndWrongResultsAreErrors) {
  Report report = test::sample_report();
  report.runs[0].diagnosis.findings[0].severity = Severity::kNegligible;
  EXPECT_THAT(write("github", report), Not(HasSubstr("::warning")));
  report.runs[0].diagnosis.findings[0].severity = Severity::kPresent;
  EXPECT_THAT(write("github", report), HasSubstr("::notice file="));
  report.runs[0].run.check.state = CheckOutcome::State::kFailed;
  EXPECT_EQ(write("github", report).rfind("::error title=wrong result::", 0), 0u);
}

TEST(GithubWriter, NamesCannotForgeCommands) {
  const auto lines = lines_of(write("github", hostile_report()));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("file=a dir/ke%2Crn%3Ael%25.cu,line=21,"));
  EXPECT_THAT(lines[0], HasSubstr("50 %25 of%0Ait"));
  EXPECT_EQ(lines[1].rfind("gpuprobe: ", 0), 0u);
}

TEST(SarifWriter, ResultsPointToRulesAndLines) {
  Report report = test::sample_report();
  report.runs.push_back(report.runs[0]);
  report.runs[1].diagnosis.findings[0].kind = FindingKind::kUncoalescedStore;
  report.runs[1].diagnosis.findings.push_back(test::sample_finding(Severity::kNegligible));
  const json document = json::parse(write("sarif", report));
  EXPECT_EQ(document["version"], "2.1.0");
  const json& run = document["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "gpuprobe");
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2u);
  ASSERT_EQ(run["results"].size(), 3u);
  for (const json& result : run["results"]) {
    const std::size_t index = result["ruleIndex"];
    EXPECT_EQ(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    const json& place = result["locations"][0]["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"], "transpose/kernel.cu");
    EXPECT_EQ(place["region"]["startLine"], 21);
  }
  EXPECT_EQ(run["results"][0]["level"], "warning");
  EXPECT_EQ(run["results"][2]["level"], "none");
}

TEST(SarifWriter, PathsBecomeUrisAndPlacesWithoutALineAreLeftOut) {
  Report report = hostile_report();
  report.runs[0].diagnosis.findings[0].sites.push_back(report.runs[0].diagnosis.findings[0].sites[0]);
  report.runs[0].diagnosis.findings[0].sites[0].line = 0;
  report.runs[0].diagnosis.findings[0].sites[1].file = "/abs/k.cu";
  report.runs[0].diagnosis.findings[0].sites.push_back(
      hostile_report().runs[0].diagnosis.findings[0].sites[0]);
  const json result = json::parse(write("sarif", report))["runs"][0]["results"][0];
  ASSERT_EQ(result["locations"].size(), 2u);
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "file:///abs/k.cu");
  EXPECT_EQ(result["locations"][1]["physicalLocation"]["artifactLocation"]["uri"],
            "a%20dir/ke%2Crn%3Ael%25.cu");
}

TEST(SarifWriter, AnEmptyReportHasNoResults) {
  const json document = json::parse(write("sarif", Report{}));
  EXPECT_TRUE(document["runs"][0]["results"].empty());
}

TEST(JunitWriter, RunsAndGatesAreTests) {
  Report report = test::sample_report();
  report.gates = {{GateResult::State::kHeld, "a <= 4"},
                  {GateResult::State::kFailed, "b == 1, is 2"},
                  {GateResult::State::kMissing, "c needs a GPU"}};
  const std::string text = write("junit", report);
  EXPECT_THAT(text, HasSubstr("tests=\"4\" failures=\"1\" errors=\"1\""));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"gpuprobe.gate\" name=\"a &lt;= 4\"/>"));
  EXPECT_THAT(text, HasSubstr("<failure message=\"b == 1, is 2\"/>"));
  EXPECT_THAT(text, HasSubstr("<error message=\"c needs a GPU\"/>"));
  report.runs[0].run.check = {CheckOutcome::State::kFailed, "element 3", 4, 1, 1.0};
  EXPECT_THAT(write("junit", report), HasSubstr("<failure message=\"wrong result: element 3\"/>"));
}

TEST(JunitWriter, IsWellFormedWhateverTheNames) {
  const test::TemporaryFolder folder;
  Report broken = hostile_report();
  broken.runs[0].run.kernel +=
      "\xff\xc3\xed\xa0\x80\xef\xbf\xbf\xf5\x80\x80\x80 \xe2\x82\xac \xf0\x9f\x98\x80\xe2";
  std::string files = "'" + folder.write("sample.xml", write("junit", test::sample_report())) + "' '" +
                      folder.write("hostile.xml", write("junit", broken)) + "'";
  int number = 0;
  rc::check("random reports", [&] {
    Report report = test::a_report();
    report.gates = test::some(2, [] { return GateResult{GateResult::State::kFailed, test::a_text()}; });
    files += " '" + folder.write("random" + std::to_string(number++) + ".xml", write("junit", report)) + "'";
  });
  if (std::system("python3 -c 'import xml.etree.ElementTree' 2>/dev/null") != 0)
    GTEST_SKIP() << "needs python3";
  EXPECT_EQ(std::system(("python3 '" GPUPROBE_TESTS_DIR "/tools/check_xml.py' " + files).c_str()), 0);
}

TEST(MarkdownWriter, TablesKeepTheirColumns) {
  const std::string text = write("markdown", hostile_report());
  std::size_t expected = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.empty() || line[0] != '|') {
      expected = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    if (expected == 0) expected = bars;
    EXPECT_EQ(bars, expected) << line;
  }
  EXPECT_THAT(text, HasSubstr("\\<b\\> \\| y"));
  EXPECT_THAT(write("markdown", test::sample_report()),
              HasSubstr("`transpose/kernel.cu:21`: 32.00 wavefronts/request"));
  EXPECT_THAT(write("markdown", test::sample_report()), HasSubstr("**bank-conflict-load**"));
  EXPECT_EQ(write("markdown", Report{}), "No launches.\n");
}

}  // namespace
}  // namespace gpuprobe::report
