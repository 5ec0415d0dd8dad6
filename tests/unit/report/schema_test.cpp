#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/writer.h"
#include "support/arbitrary_report.h"
#include "support/report_builder.h"
#include "support/temporary_folder.h"

namespace gpuprobe::report {
namespace {

using nlohmann::json;

const std::string kTests = GPUPROBE_TESTS_DIR;
const std::string kSchema = kTests + "/../docs/report.schema.json";

/// Exit status of the validator, from the first Python that has jsonschema; 77 if none has.
int validate(const std::string& files) {
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    const int status = std::system((std::string(python) + " '" + kTests + "/tools/validate_report.py' '" +
                                    kSchema + "' " + files + " >/dev/null 2>&1")
                                       .c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1) return WEXITSTATUS(status);
  }
  return 77;
}

std::string written(const Report& report) {
  return find_writer("json")->write(report, {});
}

TEST(Schema, DescribesWhatTheWriterWrites) {
  const test::TemporaryFolder folder;
  Report report = test::sample_report();
  std::string files = "'" + folder.write("sample.json", written(report)) + "'";
  report.runs[0].run.steps.push_back(report.runs[0].run.steps[0]);
  report.runs[0].run.sampling = Sampling{10, 2};
  report.runs[0].run.environment.device = "other";
  report.runs[0].diagnosis.findings[0].gain.reset();
  files += " '" + folder.write("more.json", written(report)) + "'";
  files += " '" + folder.write("empty.json", written(Report{})) + "'";
  int number = 0;
  rc::check("random reports", [&] {
    files +=
        " '" + folder.write("random" + std::to_string(number++) + ".json", written(test::a_report())) + "'";
  });
  const int status = validate(files);
  if (status == 77) GTEST_SKIP() << "needs Debian's python3-jsonschema";
  EXPECT_EQ(status, 0);
}

TEST(Schema, RefusesWhatIsNotAReport) {
  const test::TemporaryFolder folder;
  const json sample = json::parse(written(test::sample_report()));
  if (validate("'" + folder.write("sample.json", sample.dump()) + "'") == 77)
    GTEST_SKIP() << "needs Debian's python3-jsonschema";
  const auto status_with = [&](const char* pointer, const json& value) {
    json document = sample;
    document[json::json_pointer(pointer)] = value;
    return validate("'" + folder.write("changed.json", document.dump()) + "'");
  };
  EXPECT_EQ(status_with("/schema_version", 2), 1);
  EXPECT_EQ(status_with("/runs/0/source", "dreamt"), 1);
  EXPECT_EQ(status_with("/runs/0/undocumented", 1), 1);
  EXPECT_EQ(status_with("/runs/0/sites/0/width", -4), 1);
  EXPECT_EQ(status_with("/runs/0/sites/0/worst/address", {1, 2}), 1);
  EXPECT_EQ(status_with("/runs/0/metrics/time.duration", {{"value", 1}}), 1);
  EXPECT_EQ(status_with("/runs/0/findings/0/severity", "bad"), 1);
  EXPECT_EQ(status_with("/runs/0/occupancy/0/limits", {{"luck", 1}}), 1);
}

TEST(Schema, ListsEveryName) {
  std::ifstream file(kSchema);
  const json definitions = json::parse(file)["definitions"];
  const auto names_of = [](int count, auto name) {
    json names = json::array();
    for (int i = 0; i < count; ++i) names.push_back(name(i));
    return names;
  };
  EXPECT_EQ(definitions["finding_kind"]["enum"],
            names_of(static_cast<int>(all_finding_kinds().size()), [](int i) {
              return std::string(to_string(all_finding_kinds()[static_cast<std::size_t>(i)]));
            }));
  EXPECT_EQ(definitions["unit"]["enum"], names_of(static_cast<int>(Unit::kFlopsPerSecond) + 1, [](int i) {
              return std::string(to_string(static_cast<Unit>(i)));
            }));
  EXPECT_EQ(definitions["access"]["enum"], names_of(static_cast<int>(AccessKind::kLocalStore) + 1, [](int i) {
              return std::string(to_string(static_cast<AccessKind>(i)));
            }));
  EXPECT_EQ(definitions["resource"]["enum"], names_of(static_cast<int>(Resource::kBarriers) + 1, [](int i) {
              return std::string(to_string(static_cast<Resource>(i)));
            }));
  EXPECT_EQ(definitions["hazard"]["properties"]["kind"]["enum"],
            names_of(static_cast<int>(HazardKind::kBlockWait) + 1,
                     [](int i) { return std::string(to_string(static_cast<HazardKind>(i))); }));
}

}  // namespace
}  // namespace gpuprobe::report
