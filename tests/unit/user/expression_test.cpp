#include "kernels/user/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuprobe::user {
namespace {

using ::testing::HasSubstr;

Number number(std::string_view text, const Variables& variables = {}) {
  const auto value = evaluate(text, variables);
  EXPECT_TRUE(value) << (value ? "" : value.error().what);
  return value.value_or(Number{std::int64_t{-99999}});
}
std::string error(std::string_view text, const Variables& variables = {}) {
  const auto value = evaluate(text, variables);
  EXPECT_FALSE(value) << text;
  return value ? "" : value.error().what;
}
Number integer(std::int64_t value) {
  return Number{value};
}

TEST(Expression, IntegersFollowTheUsualPrecedence) {
  EXPECT_EQ(number("1 + 2 * 3"), integer(7));
  EXPECT_EQ(number("(1 + 2) * 3"), integer(9));
  EXPECT_EQ(number("7 / 2 * 2"), integer(6));
  EXPECT_EQ(number("7 % 4 - 1"), integer(2));
  EXPECT_EQ(number("-3 - -4"), integer(1));
  EXPECT_EQ(number("2 - 3 - 4"), integer(-5));
  EXPECT_EQ(number("0x10 + 1"), integer(17));
}

TEST(Expression, AFloatMakesTheResultAFloat) {
  EXPECT_EQ(number("1 / 2"), integer(0));
  EXPECT_EQ(number("1.0 / 2"), Number{0.5});
  EXPECT_EQ(number("1e-3 * 2"), Number{2e-3});
  EXPECT_EQ(number("3 * .5"), Number{1.5});
}

TEST(Expression, VariablesAndFunctions) {
  const Variables vars{{"n", integer(4097)}, {"tile", integer(32)}, {"a", Number{0.5}}};
  EXPECT_EQ(number("ceildiv(n, tile)", vars), integer(129));
  EXPECT_EQ(number("ceildiv(n - 1, tile)", vars), integer(128));
  EXPECT_EQ(number("min(n, tile, 7) + max(1, tile)", vars), integer(39));
  EXPECT_EQ(number("a * tile", vars), Number{16.0});
}

TEST(Expression, ErrorsQuoteTheExpressionAndThePlace) {
  EXPECT_THAT(error("1 +"), HasSubstr("'1 +': a value is missing at character 4"));
  EXPECT_THAT(error("(1"), HasSubstr("')' is missing"));
  EXPECT_THAT(error("1 2"), HasSubstr("unexpected text at character 3"));
  EXPECT_THAT(error("m * 2", {{"n", integer(1)}}), HasSubstr("there is no variable 'm' (known: n)"));
  EXPECT_THAT(error("sqrt(2)"), HasSubstr("there is no function 'sqrt'"));
  EXPECT_THAT(error("1 / 0"), HasSubstr("division by zero"));
  EXPECT_THAT(error("ceildiv(1, 0)"), HasSubstr("ceildiv takes"));
  EXPECT_THAT(error("9223372036854775807 + 1"), HasSubstr("does not fit in 64 bits"));
  EXPECT_THAT(error("99999999999999999999"), HasSubstr("does not fit in 64 bits"));
  EXPECT_THAT(error("1.5 % 2"), HasSubstr("% takes integers"));
  EXPECT_THAT(error("1.0 / 0"), HasSubstr("not a finite number"));
  EXPECT_THAT(error("12abc"), HasSubstr("not a number"));
  EXPECT_THAT(error("0x"), HasSubstr("hexadecimal"));
  EXPECT_THAT(error(""), HasSubstr("a value is missing"));
}

TEST(Expression, HostileNestingIsAnError) {
  EXPECT_THAT(error(std::string(100000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(error(std::string(100000, '-')), HasSubstr("nested too deeply"));
}

TEST(Expression, IntegerRangeNamesTheFact) {
  EXPECT_EQ(evaluate_integer("8 * 4", {}, "block.x", 1, 1024).value(), 32);
  const auto zero = evaluate_integer("0", {}, "grid.x", 1, 10);
  ASSERT_FALSE(zero);
  EXPECT_THAT(zero.error().what, HasSubstr("grid.x is 0"));
  EXPECT_FALSE(evaluate_integer("1.5", {}, "grid.x", 1, 10));
}

}  // namespace
}  // namespace gpuprobe::user
