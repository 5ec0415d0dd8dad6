#include "kernels/user/toml_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/user/launch_entry.h"

namespace gpuprobe::user {
namespace {

TEST(TomlText, CommentsAndStringsMayHoldAnything) {
  for (const char* text : {"", "a = 1", "# \u00e4\u0305\na = 1", "a = \"\u00e4\" # \u00e4", "a = '\u00e4'",
                           "a = \"\\\"\u00e4\"", "a = \"it's \u00e4\"",
                           "\xEF\xBB\xBF"
                           "a = 1"})
    EXPECT_EQ(line_beyond_ascii(text), std::nullopt) << text;
}

TEST(TomlText, AnywhereElseItIsFoundWithItsLine) {
  EXPECT_EQ(line_beyond_ascii("\u0305"), 1);
  EXPECT_EQ(line_beyond_ascii("a = 1\nn\u00e4me = 1"), 2);
  EXPECT_EQ(line_beyond_ascii("a = \"x\" \u00e4"), 1);
  EXPECT_EQ(line_beyond_ascii("a = 'x\\' \u00e4"), 1);
  EXPECT_EQ(line_beyond_ascii("a = \"\"\"\n\u00e4\"\"\""), 2);
  EXPECT_EQ(line_beyond_ascii("# comment\n\xFF"), 2);
  EXPECT_EQ(line_beyond_ascii("a = \"open\n\u00e4"), 2);
  EXPECT_EQ(line_beyond_ascii("a = \"\\\n\u00e4"), 2);
}

TEST(TomlText, IsAnErrorOfTheEntryWithThePlaceInItsFile) {
  const auto entries = parse_entries("[[kernel]]\nn\u00e4me = \"k\"\n", "k.cu", 5);
  ASSERT_FALSE(entries.has_value());
  EXPECT_EQ(entries.error().code, ErrorCode::kUsage);
  EXPECT_THAT(entries.error().what, testing::StartsWith("k.cu:6: "));
}

}  // namespace
}  // namespace gpuprobe::user
