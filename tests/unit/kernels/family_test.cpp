#include "kernels/family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/spec.h"

namespace gpuprobe {
namespace {

using testing::HasSubstr;

KernelFamily sample() {
  KernelFamily family;
  family.name = "sample";
  family.parameters = {spec::integer("n", "64", 1, 100, "size"),
                       spec::integer("tile", "", 1, 32, "edge"),
                       spec::number("alpha", "2.5", "factor"),
                       spec::choice("variant", "fast", {"fast", "slow"}, "which"),
                       spec::flag("swizzle", "permute"),
                       spec::pair("block", "32,8", 1024, "shape"),
                       spec::optional_integer("pad", 0, 8, "padding")};
  return family;
}

ParameterValues valid(const std::map<std::string, std::string, std::less<>>& given) {
  const auto values = validate(sample(), given);
  EXPECT_TRUE(values.has_value()) << values.error().what;
  return values.value_or(ParameterValues());
}

TEST(Family, FillsInDefaults) {
  const ParameterValues values = valid({});
  EXPECT_EQ(values.integer("n"), 64);
  EXPECT_EQ(values.number("alpha"), 2.5);
  EXPECT_EQ(values.text("variant"), "fast");
  EXPECT_EQ(values.pair("block"), (std::pair<std::int64_t, std::int64_t>{32, 8}));
  EXPECT_FALSE(values.given("tile"));
  EXPECT_EQ(values.integer("tile"), 0);
  EXPECT_FALSE(values.flag("swizzle"));
  EXPECT_EQ(values.integer("pad"), 0);
}

TEST(Family, TakesValuesAsTyped) {
  const ParameterValues values = valid({{"n", "100"},
                                        {"alpha", "-1e-3"},
                                        {"variant", "slow"},
                                        {"swizzle", ""},
                                        {"block", "16x4"},
                                        {"pad", ""},
                                        {"tile", "8"}});
  EXPECT_EQ(values.integer("n"), 100);
  EXPECT_EQ(values.number("alpha"), -1e-3);
  EXPECT_TRUE(values.flag("swizzle"));
  EXPECT_EQ(values.pair("block"), (std::pair<std::int64_t, std::int64_t>{16, 4}));
  EXPECT_EQ(values.integer("pad"), 1) << "--pad alone is one element";
  EXPECT_EQ(valid({{"pad", "4"}}).integer("pad"), 4);
  EXPECT_FALSE(valid({{"swizzle", "0"}}).flag("swizzle")) << "a sweep switches it off with 0";
}

TEST(Family, RefusesWithTheOptionTheValueAndWhatIsAllowed) {
  const std::vector<std::array<std::string, 3>> bad{{"n", "0", "from 1 to 100"},
                                                    {"n", "101", "from 1 to 100"},
                                                    {"n", "12x", "from 1 to 100"},
                                                    {"n", "", "from 1 to 100"},
                                                    {"n", "99999999999999999999", "from 1 to 100"},
                                                    {"alpha", "nan", "finite"},
                                                    {"alpha", "1e999", "finite"},
                                                    {"variant", "Fast", "fast, slow"},
                                                    {"swizzle", "maybe", "switch"},
                                                    {"block", "32", "X,Y"},
                                                    {"block", "32,0", "from 1 to 1024"},
                                                    {"block", "32,8,1", "X,Y"},
                                                    {"pad", "-1", "from 0 to 8"},
                                                    {"pad", "9", "from 0 to 8"}};
  for (const auto& [name, value, allowed] : bad) {
    const auto values = validate(sample(), {{name, value}});
    ASSERT_FALSE(values.has_value()) << name << " " << value;
    EXPECT_EQ(values.error().code, ErrorCode::kUsage);
    EXPECT_THAT(values.error().what, HasSubstr(name));
    EXPECT_THAT(values.error().what, HasSubstr("'" + value + "'"));
    EXPECT_THAT(values.error().hint, HasSubstr(allowed));
  }
}

TEST(Family, RefusesAnUnknownOptionAndListsTheKnownOnes) {
  const auto values = validate(sample(), {{"pda", "1"}});
  ASSERT_FALSE(values.has_value());
  EXPECT_THAT(values.error().what, HasSubstr("'pda'"));
  EXPECT_THAT(values.error().hint, HasSubstr("-n, --tile"));
}

TEST(Family, ShowsWhatWasChosenInParameterOrder) {
  const Kernel kernel =
      spec::start_kernel("sample", "", sample().parameters, valid({{"pad", "0"}, {"swizzle", "0"}}));
  std::string text;
  for (const auto& [name, value] : kernel.options) text += name + "=" + value + " ";
  EXPECT_EQ(text, "n=64 alpha=2.5 variant=fast block=32,8 ");
  EXPECT_EQ(kernel.source.file, "sample/kernel.cu");
}

TEST(Family, LaunchLimits) {
  EXPECT_TRUE(spec::make_launch(spec::kMaxGridX, spec::kMaxGridY, 32, 32).has_value());
  EXPECT_FALSE(spec::make_launch(spec::kMaxGridX + 1, 1, 32, 32).has_value());
  EXPECT_FALSE(spec::make_launch(1, spec::kMaxGridY + 1, 32, 32).has_value());
  EXPECT_FALSE(spec::make_launch(1, 1, 33, 32).has_value());
}

}  // namespace
}  // namespace gpuprobe
