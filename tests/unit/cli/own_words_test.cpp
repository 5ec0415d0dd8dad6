// No text of CLI11's own reaches the user: neither in the help nor for any wrong use of any option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/help.h"

namespace gpuprobe::cli {
namespace {

using Words = std::vector<std::string>;

void for_each_command(const CLI::App& app, Words path,
                      const std::function<void(const CLI::App&, const Words&)>& visit) {
  visit(app, path);
  for (const CLI::App* child : app.get_subcommands({})) {
    Words words = path;
    words.push_back(child->get_name());
    for_each_command(*child, words, visit);
  }
}

/// Words that CLI11 puts into help and messages, and gpuprobe does not.
const std::regex& foreign() {
  static const std::regex kForeign(
      "INT\\b|\\bUINT|FLOAT|\\bTEXT:|BOOLEAN|ENUM|NONNEGATIVE|POSITIVE|REQUIRED|Excludes:|Needs:|Env:| in "
      "\\[|"
      "Could not convert|is required|required but|[0-9] required|At Most|At Least|not in range|Should "
      "be|"
      "flag override|too many inputs|not an allowed value|were not expected|was not expected|partially "
      "specified");
  return kForeign;
}

TEST(OwnWords, ThePlaceholderOfEveryOptionIsOurs) {
  const CommandLine line;
  std::size_t options = 0;
  for_each_command(line.app(), {}, [&](const CLI::App& app, const Words&) {
    for (const OptionDoc& option : describe(app).options) {
      ++options;
      const std::string where = app.get_name() + " " + option.names.front();
      EXPECT_FALSE(std::regex_search(option.placeholder, foreign())) << where << " " << option.placeholder;
      static const std::regex kTyped("^[^'\"]*:");  // "N:INT"; quoted ones show what is typed
      EXPECT_FALSE(std::regex_search(option.placeholder, kTyped)) << where << " " << option.placeholder;
      EXPECT_NE(option.placeholder, "TEXT") << where;
      EXPECT_FALSE(option.description.empty()) << where;
    }
  });
  EXPECT_GT(options, 300U);
}

TEST(OwnWords, TheHelpOfEveryCommandIsOurs) {
  const CommandLine line;
  for_each_command(line.app(), {}, [&](const CLI::App& app, const Words&) {
    const std::string help = help_text(describe(app));
    std::smatch match;
    EXPECT_FALSE(std::regex_search(help, match, foreign())) << app.get_name() << ": " << match.str();
  });
}

class WrongUse : public testing::Test {
 protected:
  /// What is said about `words`; "" if they are right.
  std::string said(Words words) {
    words.insert(words.begin(), "gpuprobe");
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    const auto parsed = line_.parse(static_cast<int>(argv.size()), argv.data());
    if (parsed) return "";
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
    EXPECT_FALSE(parsed.error().hint.empty()) << testing::PrintToString(words);
    return parsed.error().what;
  }
  void expect_own(const Words& words) {
    const std::string what = said(words);
    std::smatch match;
    EXPECT_FALSE(std::regex_search(what, match, foreign())) << testing::PrintToString(words) << ": " << what;
  }
  static Words with(Words words, std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
    return words;
  }

  CommandLine line_;
};

TEST_F(WrongUse, OfEveryOptionIsAnsweredInOurWords) {
  const CommandLine other;  // walked while line_ parses
  for_each_command(other.app(), {}, [&](const CLI::App& app, const Words& path) {
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional()) continue;
      const std::string name = option->get_lnames().empty() ? "-" + option->get_snames().front()
                                                            : "--" + option->get_lnames().front();
      if (option->get_expected_max() == 0) {
        EXPECT_THAT(said(with(path, {name + "=maybe"})), testing::HasSubstr("takes no value")) << name;
        continue;
      }
      if (option->get_expected_min() > 0) {
        EXPECT_THAT(said(with(path, {name})), testing::HasSubstr(name)) << name;
        expect_own(with(path, {name}));
      }
      expect_own(with(path, {name, "1", name, "1"}));
      for (const char* value :
           {"", "x", "0", "-1", "1.5", "nan", "1e300", "inf", "99999999999999999999", "0x10"})
        expect_own(with(path, {name, value}));
    }
  });
}

TEST_F(WrongUse, SaysWhatWasWrong) {
  using testing::HasSubstr;
  EXPECT_EQ(said({"transpose", "--output"}), "--output needs a value: --output FILE");
  EXPECT_EQ(said({"check", "--jobs", "1", "--jobs", "2"}), "--jobs is given 2 times; it takes one value");
  EXPECT_EQ(said({"transpose", "--swizzle=maybe"}), "--swizzle takes no value");
  EXPECT_EQ(said({"transpose", "-q=3"}), "the option before '=3' takes no value");
  EXPECT_EQ(said({"run"}), "no FILE was given");
  EXPECT_THAT(said({"transpose", "--repeat", "1.5"}), HasSubstr("'1.5' is no whole number from 1 to 100000"));
  EXPECT_THAT(said({"transpose", "--seed", "-1"}), HasSubstr("out of range"));
  EXPECT_THAT(said({"transpose", "--seed", "18446744073709551616"}), HasSubstr("out of range"));
  EXPECT_EQ(said({"transpose", "--seed", "18446744073709551615"}), "");
  EXPECT_THAT(said({"run", "x.cu", "--within", "-1"}), HasSubstr("it must be at least 0"));
  EXPECT_THAT(said({"run", "x.cu", "--within", "nan"}), HasSubstr("it must be at least 0"));
}

}  // namespace
}  // namespace gpuprobe::cli
