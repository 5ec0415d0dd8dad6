#include "core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gpuprobe {
namespace {

TEST(Half, EveryHalfSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float_from_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(half_from_float(value), bits) << value;
  }
}

TEST(Half, RoundsToTheNearestHalfTiesToEven) {
  // Against the definition: between two neighbouring halves, the nearer one; in the middle, the even one.
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const float low = float_from_half(static_cast<std::uint16_t>(bits));
    const float high = float_from_half(static_cast<std::uint16_t>(bits + 1));
    const float middle = (low + high) / 2;
    ASSERT_EQ(half_from_float(middle), (bits & 1) ? bits + 1 : bits);
    ASSERT_EQ(half_from_float(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(half_from_float(std::nextafter(middle, 1e9f)), bits + 1);
  }
}

TEST(Half, DoubleRoundsOnce) {
  EXPECT_EQ(half_from_double(1.0 + 0x1p-11), 0x3C00);            // tie: to the even 1.0
  EXPECT_EQ(half_from_double(1.0 + 0x1p-11 + 0x1p-50), 0x3C01);  // a float would have lost the last bit
  EXPECT_EQ(half_from_double(65519.9999999), 0x7BFF);
  EXPECT_EQ(half_from_double(65520.0), 0x7C00);
  EXPECT_EQ(half_from_double(1e300), 0x7C00);
  EXPECT_EQ(half_from_double(-1e-300), 0x8000);
  EXPECT_EQ(half_from_double(0x1p-25), 0x0000);
  EXPECT_EQ(half_from_double(0x1p-25 + 0x1p-70), 0x0001);
  EXPECT_TRUE(std::isnan(float_from_half(half_from_double(std::nan("")))));
  EXPECT_EQ(bfloat16_from_double(1.0 + 0x1p-8), 0x3F80);
  EXPECT_EQ(bfloat16_from_double(1.0 + 0x1p-8 + 0x1p-50), 0x3F81);
  EXPECT_EQ(bfloat16_from_double(0x1p-134 + 0x1p-180), 0x0001);
  EXPECT_EQ(bfloat16_from_double(1e300), 0x7F80);
}

TEST(Half, OverflowNanAndSigns) {
  EXPECT_EQ(half_from_float(65519.0f), 0x7BFF);
  EXPECT_EQ(half_from_float(65520.0f), 0x7C00);
  EXPECT_EQ(half_from_float(-std::numeric_limits<float>::infinity()), 0xFC00);
  EXPECT_TRUE(std::isnan(float_from_half(half_from_float(std::nanf("")))));
  EXPECT_EQ(half_from_float(-0.0f), 0x8000);
}

TEST(Bfloat16, RoundsTiesToEven) {
  EXPECT_EQ(bfloat16_from_float(1.0f), 0x3F80);
  EXPECT_EQ(bfloat16_from_float(1.00390625f), 0x3F80);  // half a unit above: to even
  EXPECT_EQ(bfloat16_from_float(1.01171875f), 0x3F82);  // half a unit above an odd one
  EXPECT_EQ(float_from_bfloat16(0x3F82), 1.015625f);
  EXPECT_EQ(bfloat16_from_float(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_TRUE(std::isnan(float_from_bfloat16(bfloat16_from_float(std::nanf("")))));
}

}  // namespace
}  // namespace gpuprobe
