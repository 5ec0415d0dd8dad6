#include "report/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace gpuprobe::report {
namespace {

TEST(Format, ScalesAndRoundsByUnit) {
  EXPECT_EQ(quantity(16777216, Unit::kSector), "16.8 M sectors");
  EXPECT_EQ(quantity(79.9e-6, Unit::kSecond), "79.9 us");
  EXPECT_EQ(quantity(3.2e12, Unit::kBytesPerSecond), "3.2 TB/s");
  EXPECT_EQ(quantity(4, Unit::kRatio), "4.00");
  EXPECT_EQ(quantity(100, Unit::kPercent), "100 %");
  EXPECT_EQ(quantity(12.5, Unit::kPercent), "12.5 %");
  EXPECT_EQ(quantity(1.5625, Unit::kPercent), "1.56 %");
  EXPECT_EQ(quantity(99.96, Unit::kPercent), "100 %");
  EXPECT_EQ(quantity(9.996, Unit::kPercent), "10 %");
  EXPECT_EQ(quantity(16.5, Unit::kSectorsPerRequest), "16.50 sectors/request");
  EXPECT_EQ(quantity(4224, Unit::kByte), "4,224 B");
  EXPECT_EQ(quantity(67108864, Unit::kByte), "67.1 MB");
  EXPECT_EQ(quantity(1.98e9, Unit::kHertz), "2.0 GHz");
  EXPECT_EQ(quantity(1, Unit::kBlock), "1 block");
  EXPECT_EQ(quantity(2, Unit::kBlock), "2 blocks");
  EXPECT_EQ(quantity(38, Unit::kRegister), "38 registers");
  EXPECT_EQ(quantity(0.2, Unit::kWarp), "0.2 warps");
  EXPECT_EQ(quantity(41.94e12, Unit::kFlopsPerSecond), "41.9 TFLOP/s");
}

TEST(Format, RoundingCarriesIntoTheNextPrefix) {
  EXPECT_EQ(quantity(999960, Unit::kSector), "1.0 M sectors");
  EXPECT_EQ(quantity(999.96e-9, Unit::kSecond), "1.0 us");
  EXPECT_EQ(quantity(999.94e-6, Unit::kSecond), "999.9 us");
  EXPECT_EQ(quantity(9999, Unit::kSector), "9,999 sectors");
  EXPECT_EQ(quantity(10000, Unit::kSector), "10.0 k sectors");
}

TEST(Format, ZeroNegativeAndHuge) {
  EXPECT_EQ(quantity(0, Unit::kSecond), "0 s");
  EXPECT_EQ(quantity(0, Unit::kPercent), "0 %");
  EXPECT_EQ(quantity(-0.0, Unit::kSector), "0 sectors");
  EXPECT_EQ(quantity(-0.001, Unit::kPercent), "0 %");
  EXPECT_EQ(quantity(-1234567, Unit::kSector), "-1.2 M sectors");
  EXPECT_EQ(quantity(3600, Unit::kSecond), "3600.0 s");
  EXPECT_EQ(quantity(1e300, Unit::kSector), "1.0e+300 sectors");
  EXPECT_EQ(count(1e300), "1.0e+300");
}

TEST(Format, NotANumberIsNeverShownAsOne) {
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(quantity(bad, Unit::kSector), "unknown");
    EXPECT_EQ(count(bad), "unknown");
    EXPECT_EQ(per_request(bad), "unknown");
    EXPECT_EQ(speedup(bad), "unknown");
  }
}

TEST(Format, ExactCountsHaveSeparators) {
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(-0.0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1000), "1,000");
  EXPECT_EQ(count(524288), "524,288");
  EXPECT_EQ(count(16777216), "16,777,216");
  EXPECT_EQ(count(-524288), "-524,288");
  EXPECT_EQ(count(1234567.25), "1,234,567.2");
  EXPECT_EQ(count(999999999999999), "999,999,999,999,999");
  EXPECT_EQ(count(2e15), "2.0 P");
  EXPECT_EQ(per_request(1234.5), "1,234.50");
}

TEST(Format, GainsReadAsIntervals) {
  EXPECT_EQ(gain_interval({1.5, 2.0, ""}), "1.5x to 2.0x faster");
  EXPECT_EQ(gain_interval({1.68, 1.72, ""}), "about 1.7x faster");
  EXPECT_EQ(gain_interval({1.0, 1.0, ""}), "no faster");
  EXPECT_EQ(gain_interval({1.0, 1.3, ""}), "1.0x to 1.3x faster");
}

TEST(Format, PlacesAndDimensions) {
  EXPECT_EQ(place("a.cu", 21, "ld.shared.f32"), "a.cu:21");
  EXPECT_EQ(place("", 0, "LDS+0x1f0"), "LDS+0x1f0");
  EXPECT_EQ(place("a.cu", 0, "LDS+0x1f0"), "a.cu (LDS+0x1f0)");
  EXPECT_EQ(place("", 0, ""), "unknown place");
  EXPECT_EQ(dimensions({128, 1, 1}), "128");
  EXPECT_EQ(dimensions({128, 64, 1}), "128 x 64");
  EXPECT_EQ(dimensions({1, 1, 4}), "1 x 1 x 4");
}

}  // namespace
}  // namespace gpuprobe::report
