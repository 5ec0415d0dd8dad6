#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/buffers.h"

namespace gpuprobe {
namespace {

using testing::HasSubstr;

/// A kernel whose output element i must be i.
Kernel counting(std::uint64_t count) {
  Kernel kernel;
  kernel.buffers.push_back({"out", *element_type_from_string("f64"), count, {}});
  ResultCheck check;
  check.expected = [](const HostBuffers&, std::uint64_t i) { return static_cast<double>(i); };
  check.reference = "the index itself";
  kernel.checks.push_back(check);
  return kernel;
}

HostBuffers result_of(const Kernel& kernel, std::uint64_t wrong_at, double wrong_value) {
  HostBuffers host = *HostBuffers::initial(kernel);
  auto* values = reinterpret_cast<double*>(host.bytes(0).data());
  for (std::uint64_t i = 0; i < kernel.buffers[0].count; ++i) values[i] = static_cast<double>(i);
  if (wrong_at < kernel.buffers[0].count) values[wrong_at] = wrong_value;
  return host;
}

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

TEST(ResultCheck, ComparesEveryElementOfASmallOutput) {
  const Kernel kernel = counting(1000);
  const HostBuffers initial = *HostBuffers::initial(kernel);
  const auto right = check_result(kernel, initial, result_of(kernel, kNowhere, 0), nullptr);
  EXPECT_EQ(right.state, CheckOutcome::State::kPassed);
  EXPECT_EQ(right.compared, 1000u);
  EXPECT_EQ(right.text, "1000 of 1000 elements compared, all equal (the index itself)");
  for (const std::uint64_t at : {0, 517, 999}) {
    const auto wrong = check_result(kernel, initial, result_of(kernel, at, -1), nullptr);
    EXPECT_EQ(wrong.state, CheckOutcome::State::kFailed);
    EXPECT_EQ(wrong.wrong, 1u);
    EXPECT_THAT(wrong.text,
                HasSubstr("'out'[" + std::to_string(at) + "] is -1, expected " + std::to_string(at)));
  }
}

TEST(ResultCheck, BoundsAreInclusiveAndReported) {
  Kernel kernel = counting(100);
  kernel.checks[0].absolute_bound = 0.25;
  const HostBuffers initial = *HostBuffers::initial(kernel);
  const auto within = check_result(kernel, initial, result_of(kernel, 50, 50.25), nullptr);
  EXPECT_EQ(within.state, CheckOutcome::State::kPassed);
  EXPECT_EQ(within.worst_error, 0.25);
  EXPECT_THAT(within.text, HasSubstr("largest difference 0.25"));
  EXPECT_EQ(check_result(kernel, initial, result_of(kernel, 50, 50.375), nullptr).state,
            CheckOutcome::State::kFailed);
}

TEST(ResultCheck, NotANumberIsWrongUnlessExpected) {
  Kernel kernel = counting(10);
  kernel.checks[0].absolute_bound = 1e300;
  const HostBuffers initial = *HostBuffers::initial(kernel);
  const auto outcome = check_result(kernel, initial, result_of(kernel, 3, std::nan("")), nullptr);
  EXPECT_EQ(outcome.state, CheckOutcome::State::kFailed);
  kernel.checks[0].expected = [](const HostBuffers&, std::uint64_t i) {
    return i == 3 ? std::nan("") : static_cast<double>(i);
  };
  EXPECT_EQ(check_result(kernel, initial, result_of(kernel, 3, std::nan("")), nullptr).state,
            CheckOutcome::State::kPassed);
}

TEST(ResultCheck, SamplesALargeOutputIncludingItsEnds) {
  const std::uint64_t count = 1u << 20;
  const Kernel kernel = counting(count);
  const HostBuffers initial = *HostBuffers::initial(kernel);
  const auto right = check_result(kernel, initial, result_of(kernel, kNowhere, 0), nullptr);
  EXPECT_EQ(right.state, CheckOutcome::State::kPassed);
  EXPECT_GE(right.compared, 16384u);
  EXPECT_LT(right.compared, 17000u);
  EXPECT_EQ(check_result(kernel, initial, result_of(kernel, 0, 1), nullptr).state,
            CheckOutcome::State::kFailed);
  EXPECT_EQ(check_result(kernel, initial, result_of(kernel, count - 1, 1), nullptr).state,
            CheckOutcome::State::kFailed);
}

TEST(ResultCheck, LooksOnlyAtWhatASampledPredictionWrote) {
  const std::uint64_t count = 1u << 22;
  const Kernel kernel = counting(count);
  const HostBuffers initial = *HostBuffers::initial(kernel);
  const HostBuffers result = result_of(kernel, 12345, -1);
  const auto last_quarter = [&](std::size_t, std::uint64_t byte) { return byte / 8 >= count - count / 4; };
  const auto outcome = check_result(kernel, initial, result, last_quarter);
  EXPECT_EQ(outcome.state, CheckOutcome::State::kPassed);
  EXPECT_GE(outcome.compared, 16384u);
  const auto nothing =
      check_result(kernel, initial, result, [](std::size_t, std::uint64_t) { return false; });
  EXPECT_EQ(nothing.state, CheckOutcome::State::kNotChecked);
  EXPECT_THAT(nothing.text, HasSubstr("no block that ran wrote 'out'"));
}

TEST(ResultCheck, SaysWhyNothingWasChecked) {
  Kernel kernel = counting(10);
  kernel.checks[0].needs_whole_grid = true;
  const HostBuffers initial = *HostBuffers::initial(kernel);
  const HostBuffers result = result_of(kernel, 3, -1);
  const auto sampled = check_result(kernel, initial, result, [](std::size_t, std::uint64_t) { return true; });
  EXPECT_EQ(sampled.state, CheckOutcome::State::kNotChecked);
  EXPECT_THAT(sampled.text, HasSubstr("depends on every block"));
  EXPECT_EQ(check_result(kernel, initial, result, nullptr).state, CheckOutcome::State::kFailed);
  kernel.checks.clear();
  EXPECT_EQ(check_result(kernel, initial, result, nullptr).state, CheckOutcome::State::kNotChecked);
}

TEST(ResultCheck, HonoursTheRangeOfElements) {
  Kernel kernel = counting(100);
  kernel.checks[0].first = 10;
  kernel.checks[0].count = 20;
  const HostBuffers initial = *HostBuffers::initial(kernel);
  const auto outside = check_result(kernel, initial, result_of(kernel, 30, -1), nullptr);
  EXPECT_EQ(outside.state, CheckOutcome::State::kPassed);
  EXPECT_EQ(outside.compared, 20u);
  EXPECT_EQ(check_result(kernel, initial, result_of(kernel, 29, -1), nullptr).state,
            CheckOutcome::State::kFailed);
}

}  // namespace
}  // namespace gpuprobe
