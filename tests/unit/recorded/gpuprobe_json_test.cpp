#include "metrics/recorded/gpuprobe_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "metrics/recorded/recorded.h"
#include "report/writer.h"
#include "support/arbitrary_report.h"
#include "support/report_builder.h"
#include "support/run_equality.h"

namespace gpuprobe::recorded {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::string written(const Report& report) {
  return report::find_writer("json")->write(report, {});
}

Json sample() {
  return Json::parse(written(test::sample_report()));
}

std::string error_of(const std::string& text) {
  const auto runs = read_gpuprobe_json(text, "r.json");
  if (runs) return "no error";
  EXPECT_EQ(runs.error().code, ErrorCode::kUsage);
  EXPECT_THAT(runs.error().what, HasSubstr("r.json"));
  EXPECT_FALSE(runs.error().hint.empty());
  return runs.error().what;
}

TEST(GpuprobeJson, WhatWasMeasuredComesBackAsRecorded) {
  const Report report = test::sample_report();
  const auto runs = read_runs(written(report), "r.json");
  ASSERT_TRUE(runs) << runs.error().what;
  ASSERT_EQ(runs->size(), 1u);
  gpuprobe::Run expected = report.runs[0].run;
  expected.source = Origin::kRecorded;
  expected.recorded_from = "measured";
  Counters counters;
  for (const auto& [name, metric] : expected.counters.all()) {
    if (const auto* value = std::get_if<Value>(&metric)) {
      Value recorded = *value;
      recorded.origin = Origin::kRecorded;
      counters.set(name, recorded);
    } else {
      counters.set_missing(name, std::get<Missing>(metric).reason);
    }
  }
  expected.counters = counters;
  test::expect_same(expected, runs->front());
}

TEST(GpuprobeJson, AnyReportReadsBackEqual) {
  EXPECT_TRUE(rc::check("write, read, compare", [] {
    const Report report = test::a_report();
    const auto runs = read_gpuprobe_json(written(report), "r.json");
    if (!runs) RC_FAIL(runs.error().what);
    RC_ASSERT(runs->size() == report.runs.size());
    for (std::size_t i = 0; i < runs->size(); ++i) test::expect_same(report.runs[i].run, (*runs)[i]);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(GpuprobeJson, NumbersThatWereNotFiniteStayUnknown) {
  Report report = test::sample_report();
  report.runs[0].run.sites[0].actual = std::nan("");
  report.runs[0].run.counters.set("x", {std::nan(""), Unit::kSector, Origin::kMeasured, {}});
  const auto runs = read_gpuprobe_json(written(report), "r.json");
  ASSERT_TRUE(runs);
  EXPECT_TRUE(std::isnan(runs->front().sites[0].actual));
  EXPECT_EQ(runs->front().counters.number("x"), std::nullopt);
}

TEST(GpuprobeJson, UnknownKeysAreIgnored) {
  Json document = sample();
  document["runs"][0]["later"] = {{"a", 1}};
  document["more"] = nullptr;
  EXPECT_TRUE(read_gpuprobe_json(document.dump(), "r.json"));
}

TEST(GpuprobeJson, ErrorsPointToThePlace) {
  const auto with = [](const std::string& pointer, const Json& value) {
    Json document = sample();
    document[Json::json_pointer(pointer)] = value;
    return error_of(document.dump());
  };
  EXPECT_THAT(with("/runs", 7), HasSubstr("/runs: expected an array"));
  EXPECT_THAT(with("/runs/0", "x"), HasSubstr("/runs/0: expected an object"));
  EXPECT_THAT(with("/runs/0/kernel", 7), HasSubstr("/runs/0/kernel: expected a text"));
  EXPECT_THAT(with("/runs/0/source", "dreamt"), HasSubstr("/runs/0/source: \"dreamt\" is not a source"));
  EXPECT_THAT(with("/runs/0/sites/0/line", 1.5), HasSubstr("/runs/0/sites/0/line: expected a whole number"));
  EXPECT_THAT(with("/runs/0/sites/0/line", 5000000000),
              HasSubstr("/runs/0/sites/0/line: expected a whole number"));
  EXPECT_THAT(with("/runs/0/sites/0/line", 18446744073709551615u), HasSubstr("/runs/0/sites/0/line"));
  EXPECT_THAT(with("/runs/0/sites/0/width", -4), HasSubstr("/runs/0/sites/0/width"));
  EXPECT_THAT(with("/runs/0/sites/0/access", "warp.load"), HasSubstr("is not a kind of access"));
  EXPECT_THAT(with("/runs/0/sites/0/worst/address", {1, 2}), HasSubstr("expected 32 addresses"));
  EXPECT_THAT(with("/runs/0/launch/grid", {1, 2}), HasSubstr("/runs/0/launch/grid: expected three sizes"));
  EXPECT_THAT(with("/runs/0/metrics/time.duration/value", nullptr),
              HasSubstr("/runs/0/metrics/time.duration/value"));
  EXPECT_THAT(with("/runs/0/metrics/time.duration/unit", "furlong"), HasSubstr("\"furlong\" is not a unit"));
  EXPECT_THAT(with("/runs/0/occupancy/0/limits", {{"luck", 1}}),
              HasSubstr("/runs/0/occupancy/0/limits/luck"));
  EXPECT_THAT(with("/runs/0/device/compute_capability", {9}), HasSubstr("expected two whole numbers"));
  EXPECT_THAT(with("/environment", {{"device", 1}}), HasSubstr("/environment/"));
}

TEST(GpuprobeJson, EveryMissingKeyIsAnErrorThatNamesIt) {
  const Json whole = sample();
  const std::set<std::string> optional{"recorded_from", "environment", "sampling", "timing",
                                       "verdict",       "findings",    "arch"};
  for (const auto& [key, value] : whole["runs"][0].items()) {
    Json document = whole;
    document["runs"][0].erase(key);
    if (optional.contains(key)) {
      EXPECT_TRUE(read_gpuprobe_json(document.dump(), "r.json")) << key;
    } else {
      EXPECT_THAT(error_of(document.dump()), HasSubstr("/runs/0/" + key + ": is missing"));
    }
  }
}

TEST(GpuprobeJson, OtherVersionsAreRefused) {
  Json document = sample();
  document["schema_version"] = 2;
  EXPECT_THAT(error_of(document.dump()), HasSubstr("schema_version 2"));
  document["schema_version"] = "1";
  EXPECT_THAT(error_of(document.dump()), HasSubstr("/schema_version: expected a whole number"));
  document.erase("schema_version");
  EXPECT_THAT(error_of(document.dump()), HasSubstr("/schema_version: is missing"));
}

TEST(GpuprobeJson, GarbageIsAnErrorNotACrash) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), std::string("{}"),
        std::string("{\"schema_version\": 1e999}"), std::string("{\"a\": NaN}"), std::string("\xff\xfe{"),
        std::string(1, '\0'), std::string("{\"schema_version\":1} trailing")})
    EXPECT_NE(error_of(text), "no error") << text;
}

TEST(GpuprobeJson, SyntaxErrorsNameLineAndColumn) {
  EXPECT_THAT(error_of("{\n  \"schema_version\": ,\n}"), HasSubstr("line 2, column"));
}

TEST(GpuprobeJson, DuplicateKeysAreRefused) {
  std::string text = written(test::sample_report());
  const std::string key = "\"kernel\": \"transpose\"";
  text.insert(text.find(key), "\"kernel\": \"other\", ");
  EXPECT_THAT(error_of(text), HasSubstr("the key \"kernel\" occurs twice"));
}

TEST(GpuprobeJson, DeepNestingIsRefusedQuickly) {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string text = "{\"schema_version\": 1, \"x\": ";
    for (int i = 0; i < 200000; ++i) text += open;
    EXPECT_THAT(error_of(text), HasSubstr("nested deeper"));
  }
}

TEST(GpuprobeJson, EveryTruncationIsAnError) {
  const std::string text = written(test::sample_report());
  const std::size_t end = text.find_last_of('}');
  for (std::size_t length = 0; length <= end; length += length < 400 ? 1 : 37)
    EXPECT_NE(error_of(text.substr(0, length)), "no error") << length;
}

TEST(GpuprobeJson, AnyChangedTypeIsHandled) {
  const Json whole = sample().flatten();
  for (const auto& [pointer, value] : whole.items())
    for (const Json& other :
         {Json(nullptr), Json(-1), Json("x"), Json::array(), Json::object(), Json(true), Json(1e300)}) {
      Json document = sample();
      document[Json::json_pointer(pointer)] = other;
      const auto runs = read_gpuprobe_json(document.dump(), "r.json");
      if (!runs) {
        EXPECT_EQ(runs.error().code, ErrorCode::kUsage) << pointer;
      }
    }
}

}  // namespace
}  // namespace gpuprobe::recorded
