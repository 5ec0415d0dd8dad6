#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "metrics/recorded/csv.h"
#include "metrics/recorded/nsight_number.h"
#include "metrics/recorded/recorded.h"
#include "metrics/recorded/split.h"
#include "support/arbitrary_report.h"

namespace gpuprobe::recorded {
namespace {

TEST(Csv, QuotesSeparatorsAndBreaks) {
  CsvReader reader("a,\"b,\"\"c\"\"\",\r\n\n\"x\ny\",2\n\"open,3\nlast");
  auto record = reader.next();
  EXPECT_EQ(record->fields, (std::vector<std::string>{"a", "b,\"c\"", ""}));
  EXPECT_EQ(record->line, 1u);
  record = reader.next();
  EXPECT_EQ(record->fields, (std::vector<std::string>{"x\ny", "2"}));
  EXPECT_EQ(record->line, 3u);
  record = reader.next();
  EXPECT_EQ(record->fields, (std::vector<std::string>{"open,3"}));
  record = reader.next();
  EXPECT_EQ(record->fields, (std::vector<std::string>{"last"}));
  EXPECT_EQ(record->line, 6u);
  EXPECT_FALSE(reader.next());
}

TEST(Csv, WhatIsQuotedReadsBack) {
  EXPECT_TRUE(rc::check("quote, read", [] {
    auto fields = test::some(4, test::a_text);
    fields.insert(fields.begin(), "first");
    std::string text;
    for (const std::string& field : fields) {
      text += text.empty() ? "\"" : ",\"";
      for (char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += '\n';
    CsvReader reader(text);
    RC_ASSERT(reader.next()->fields == fields);
    RC_ASSERT(!reader.next());
  }));
}

TEST(NsightNumber, BothStyles) {
  const auto point = NumberStyle::kPointDecimal, comma = NumberStyle::kCommaDecimal;
  EXPECT_EQ(parse_number("16,777,216", point), 16777216);
  EXPECT_EQ(parse_number("1,234.50", point), 1234.5);
  EXPECT_EQ(parse_number("-0.25", point), -0.25);
  EXPECT_EQ(parse_number("1e+06", point), 1e6);
  EXPECT_EQ(parse_number("27.595.520", comma), 27595520);
  EXPECT_EQ(parse_number("65,77", comma), 65.77);
  EXPECT_EQ(parse_number("1\xE2\x80\xAF"
                         "234,5",
                         comma),
            1234.5);
  EXPECT_EQ(parse_number("42 (1; 2)", point), 42);
  for (const char* bad : {"", "n/a", "nan", "inf", "1,23", "1234,567", "1,2345", "1.", ".5", "1e", "0x10",
                          "--1", "1 2x", "PolicySpread"})
    EXPECT_EQ(parse_number(bad, point), std::nullopt) << bad;
  EXPECT_EQ(hint_of("27.595.520"), comma);
  EXPECT_EQ(hint_of("16,777,216"), point);
  EXPECT_EQ(hint_of("117.344"), std::nullopt);
  EXPECT_EQ(hint_of("65,77"), comma);
}

TEST(NsightNumber, Units) {
  EXPECT_EQ(unit_factor("byte"), 1);
  EXPECT_EQ(unit_factor("Kbyte/block"), 1e3);
  EXPECT_EQ(unit_factor("Tbyte/s"), 1e12);
  EXPECT_EQ(unit_factor("Gbyte/second"), 1e9);
  EXPECT_EQ(unit_factor("ms"), 1e-3);
  EXPECT_EQ(unit_factor("usecond"), 1e-6);
  EXPECT_DOUBLE_EQ(unit_factor("cycle/nsecond"), 1e9);
  EXPECT_EQ(unit_factor("Ghz"), 1e9);
  for (const char* plain : {"", "%", "sector", "register/thread", "inst", "Thread", "Mystery", "/"})
    EXPECT_EQ(unit_factor(plain), 1) << plain;
}

TEST(Split, FollowsTheBounds) {
  using Parts = std::vector<double>;
  EXPECT_EQ(split(17301504, {{524288, 16861211}, {524288, 567997}}), (Parts{16777216, 524288}));
  EXPECT_EQ(split(0, {{0, 5}, {0, 0}}), (Parts{0, 0}));
  EXPECT_EQ(split(10, {{0, 10}, {0, 10}}), std::nullopt);  // anything is possible
  EXPECT_EQ(split(10, {{0, 4}, {0, 4}}), std::nullopt);    // too much
  EXPECT_EQ(split(10, {{20, 30}, {0, 4}}), std::nullopt);  // too little
  EXPECT_EQ(split(10, {}), std::nullopt);
  EXPECT_EQ(split(std::nan(""), {{0, 1}}), std::nullopt);
  const auto noisy = split(1000, {{0, 997}, {0, 0}});  // the hardware count is 0.3 % short
  ASSERT_TRUE(noisy);
  EXPECT_EQ((*noisy)[0], 1000);
}

TEST(Split, FindsPlantedPartsWithinTheUncertainty) {
  EXPECT_TRUE(rc::check("noisy upper bounds", [] {
    const double load = *rc::gen::inRange(1, 1000000), store = *rc::gen::inRange(1, 1000000);
    const double noise = *rc::gen::inRange(0, 100) / 10000.0;
    const auto parts =
        split(load + store, {{load / 32, load * (1 + noise)}, {store / 32, store * (1 + noise)}});
    RC_ASSERT(parts.has_value());
    RC_ASSERT(std::abs((*parts)[0] + (*parts)[1] - load - store) < 1e-6);
    RC_ASSERT(std::abs((*parts)[0] - load) <= kUncertainty * (load + store));
  }));
}

TEST(Detect, TellsFormatsApart) {
  EXPECT_EQ(detect("  {\"schema_version\": 1}"), Format::kGpuprobeJson);
  EXPECT_EQ(detect("\xEF\xBB\xBF{"), Format::kGpuprobeJson);
  EXPECT_EQ(detect("==PROF== x\n\"ID\",\"Process ID\",\"Kernel Name\",\"m\"\n"), Format::kNsightRawCsv);
  EXPECT_EQ(detect("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"),
            Format::kNsightLongCsv);
  EXPECT_EQ(detect(std::string("NVR\0rest", 8)), Format::kNsightBinary);
  for (const char* other : {"", " \n", "kernel,time\n1,2\n", "<xml/>", "[1]"})
    EXPECT_EQ(detect(other), Format::kUnknown);
  const auto binary = read_runs(std::string("NVR\0rest", 8), "a.ncu-rep");
  ASSERT_FALSE(binary);
  EXPECT_NE(binary.error().hint.find("ncu --import a.ncu-rep --csv --page raw"), std::string::npos);
}

}  // namespace
}  // namespace gpuprobe::recorded
