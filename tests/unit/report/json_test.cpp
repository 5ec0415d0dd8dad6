#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/writer.h"
#include "support/report_builder.h"

namespace gpuprobe::report {
namespace {

using nlohmann::json;
using test::sample_report;

json written(const Report& report) {
  return json::parse(find_writer("json")->write(report, {}));
}

TEST(JsonWriter, FollowsTheSkeletonOfTheContract) {
  const json document = written(sample_report());
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["gpuprobe"]["version"], "0.1.0");
  EXPECT_EQ(document["environment"]["driver"], "580.0");
  ASSERT_EQ(document["runs"].size(), 1u);
  const json& run = document["runs"][0];
  EXPECT_EQ(run["kernel"], "transpose");
  EXPECT_EQ(run["options"]["tile"], "32");
  EXPECT_EQ(run["launch"]["grid"], json({128, 128, 1}));
  EXPECT_EQ(run["launch"]["block"], json({32, 32, 1}));
  EXPECT_EQ(run["source"], "measured");
  EXPECT_EQ(run["arch"], "sm_90");
  EXPECT_EQ(
      run["metrics"]["global.load.requests"],
      json({{"value", 524288}, {"unit", "request"}, {"origin", "measured"}, {"counters", json::array()}}));
  EXPECT_EQ(run["metrics"]["l2.utilization"], json({{"missing", "this chip has no such counter"}}));
  EXPECT_EQ(run["sites"][0]["line"], 21);
  EXPECT_EQ(run["sites"][0]["access"], "shared.load");
  EXPECT_EQ(run["sites"][0]["worst"]["address"][31], 31 * 128);
  EXPECT_EQ(run["sites"][0]["worst"]["active"], 0xffffffffu);
  EXPECT_EQ(run["verdict"]["kind"], "bank-conflict-load");
  EXPECT_EQ(run["findings"][0]["severity"], "limiting");
  EXPECT_EQ(run["findings"][0]["gain"]["high"], 2);
  EXPECT_EQ(run["occupancy"][0]["limits"]["warps"], 2);
  EXPECT_FALSE(run["launch"].contains("steps"));
  EXPECT_FALSE(run.contains("sampling"));
}

TEST(JsonWriter, IntegersStayIntegersAndDoublesAreExact) {
  Report report = sample_report();
  Counters& counters = report.runs[0].run.counters;
  const std::vector<double> numbers{0.0,     1.0,     -3.0,   9007199254740993.0,
                                    1e18,    1e19,    1e300,  0.1,
                                    1.0 / 3, 79.9e-6, 5e-324, std::numeric_limits<double>::max()};
  for (double number : numbers) {
    counters.set("x", {number, Unit::kNone, Origin::kMeasured, {}});
    const json document = written(report);
    const json& value = document["runs"][0]["metrics"]["x"]["value"];
    EXPECT_EQ(value.get<double>(), number);
    EXPECT_EQ(value.is_number_integer(), number == std::trunc(number) && number < 9e18) << number;
  }
}

TEST(JsonWriter, NeverWritesNanOrInfinity) {
  Report report = sample_report();
  gpuprobe::Run& run = report.runs[0].run;
  run.counters.set("x", {std::nan(""), Unit::kNone, Origin::kMeasured, {}});
  run.counters.set("y", {std::numeric_limits<double>::infinity(), Unit::kNone, Origin::kMeasured, {}});
  run.sites[0].actual = std::nan("");
  const json document = written(report);  // json::parse rejects NaN and Infinity
  EXPECT_TRUE(document["runs"][0]["metrics"]["x"].contains("missing"));
  EXPECT_TRUE(document["runs"][0]["metrics"]["y"].contains("missing"));
  EXPECT_TRUE(document["runs"][0]["sites"][0]["actual"].is_null());
}

TEST(JsonWriter, SeveralStepsAndOtherEnvironmentsAreKept) {
  Report report = sample_report();
  gpuprobe::Run& run = report.runs[0].run;
  run.steps.push_back({"second", {{1, 1, 1}, {64, 1, 1}, 16, {2, 1, 1}}, {}});
  run.environment.device = "another";
  const json document = written(report);
  ASSERT_EQ(document["runs"][0]["launch"]["steps"].size(), 2u);
  EXPECT_EQ(document["runs"][0]["launch"]["steps"][1]["entry"], "second");
  EXPECT_EQ(document["runs"][0]["launch"]["entry"], "transpose_tile");
  EXPECT_EQ(document["runs"][0]["environment"]["device"], "another");
}

TEST(JsonWriter, EmptyReportAndHostileTextAreValidJson) {
  EXPECT_TRUE(written(Report{})["runs"].empty());
  Report report = sample_report();
  report.runs[0].run.kernel = std::string("a\"b\\c\n\xff\0x", 9);
  const json document = written(report);
  EXPECT_EQ(document["runs"][0]["kernel"], std::string("a\"b\\c\n\xEF\xBF\xBD\0x", 11));
}

TEST(JsonWriter, LayoutIsReadable) {
  const std::string content = find_writer("json")->write(sample_report(), {});
  EXPECT_THAT(content,
              testing::HasSubstr("\"l2.utilization\": {\"missing\": \"this chip has no such counter\"}"));
  EXPECT_EQ(content.back(), '\n');
  EXPECT_EQ(content, find_writer("json")->write(sample_report(), {}));
}

}  // namespace
}  // namespace gpuprobe::report
