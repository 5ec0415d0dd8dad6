// The worked examples of the bank lab that gpuprobe was created from, and the rules of its options.
#include "cli/bank_lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace gpuprobe::cli {
namespace {

using testing::HasSubstr;

int rounds(BankPattern pattern, int pitch, int active = 32, int stride = 2) {
  BankAccess access;
  access.pattern = pattern;
  access.pitch = pitch;
  access.active = active;
  access.stride = stride;
  return bank_cost(access).wavefronts;
}

TEST(BankLab, WorkedExamples) {
  EXPECT_EQ(rounds(BankPattern::kColumn, 32), 32);
  EXPECT_EQ(rounds(BankPattern::kColumn, 33), 1);
  EXPECT_EQ(rounds(BankPattern::kPaddedColumn, 32), 1);
  EXPECT_EQ(rounds(BankPattern::kBroadcast, 32), 1);
  EXPECT_EQ(rounds(BankPattern::kRow, 32), 1);
  EXPECT_EQ(rounds(BankPattern::kStride, 32, 32, 2), 2);
  EXPECT_EQ(rounds(BankPattern::kStride, 32, 16, 2), 1);
}

TEST(BankLab, LanesOfTheWorkedExample) {
  BankAccess access;
  const LanePattern lanes = lane_pattern(access);
  access.pattern = BankPattern::kPaddedColumn;
  const LanePattern padded = lane_pattern(access);
  for (std::uint64_t lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(lanes.address[lane] / 4, 32 * lane);
    EXPECT_EQ(padded.address[lane] / 4, 33 * lane);
    EXPECT_EQ(padded.address[lane] / 4 % 32, lane);
  }
}

TEST(BankLab, SmallestCures) {
  BankAccess access;
  const auto cure = bank_cure(access);
  EXPECT_EQ(cure.pad_elements, 1);
  ASSERT_TRUE(cure.swizzle);
  access.swizzle = true;
  EXPECT_EQ(bank_cost(access).wavefronts, 1);
}

TEST(BankLab, ReportNamesRoundsAndCure) {
  const auto text = bank_report(BankAccess{}, 0);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("32 service rounds"));
  EXPECT_THAT(*text, HasSubstr("bank 0: 32 words: word 0 (lane 0), word 32 (lane 1)"));
  EXPECT_THAT(*text, HasSubstr("pitch 33"));
  EXPECT_THAT(*text, HasSubstr("column ^ (row & 31)"));
}

TEST(BankLab, RoundCanBeSelectedWithinTheRoundsThereAre) {
  const auto one = bank_report(BankAccess{}, 32);
  ASSERT_TRUE(one);
  EXPECT_THAT(*one, HasSubstr("round 32 (phase 1): lanes 31; banks 0"));
  EXPECT_THAT(*one, testing::Not(HasSubstr("round 31 (phase")));
  const auto none = bank_report(BankAccess{}, 33);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUsage);
}

TEST(BankLab, SwizzleNeedsAPowerOfTwo) {
  BankAccess access;
  access.swizzle = true;
  access.pitch = 33;
  EXPECT_FALSE(bank_report(access, 0));
  access.pitch = 32;
  access.pattern = BankPattern::kPaddedColumn;
  EXPECT_FALSE(bank_report(access, 0));
}

// For elements of one word the number of rounds is the largest number of distinct words in a bank.
RC_GTEST_PROP(BankLab, RoundsOfWordsEqualACountByHand, ()) {
  BankAccess access;
  access.pattern =
      *rc::gen::elementOf(std::vector{BankPattern::kRow, BankPattern::kColumn, BankPattern::kPaddedColumn,
                                      BankPattern::kBroadcast, BankPattern::kStride});
  access.pitch = *rc::gen::inRange(1, 200);
  access.stride = *rc::gen::inRange(0, 100);
  access.active = *rc::gen::inRange(1, 33);
  access.is_load = *rc::gen::arbitrary<bool>();
  const LanePattern lanes = lane_pattern(access);
  std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
  std::size_t most = 0;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(access.active); ++lane) {
    const std::uint64_t word = lanes.address[lane] / 4;
    auto& words = words_of_bank[word % 32];
    words.insert(word);
    most = std::max(most, words.size());
  }
  RC_ASSERT(bank_cost(access).wavefronts == static_cast<int>(most));
  RC_ASSERT(memory::service_rounds(lanes, access.is_load).size() == most);
  RC_ASSERT(bank_report(access, 0).has_value());
}

}  // namespace
}  // namespace gpuprobe::cli
