// The pages of `gpuprobe explain`: one for every finding, within 80 columns, with thresholds that are the
// rules' own and examples that can be typed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/finding.h"
#include "diagnose/ranking.h"
#include "diagnose/topics.h"
#include "kernels/family.h"

namespace gpuprobe::diagnose {
namespace {

using testing::HasSubstr;

TEST(Topics, EveryFindingHasAPage) {
  for (FindingKind kind : all_finding_kinds()) {
    const Topic* topic = find_topic(to_string(kind));
    ASSERT_NE(topic, nullptr) << to_string(kind);
    for (const char* section : {"How it is decided", "How to cure it", "To see it"})
      EXPECT_THAT(topic->text, HasSubstr(section)) << to_string(kind);
  }
}

TEST(Topics, EveryVerdictAndNotionHasAPage) {
  for (const char* name :
       {"dram-bound", "l2-bound", "lsu-bound", "issue-bound", "latency-bound", "inconclusive", "coalescing",
        "banks", "occupancy", "sectors", "wavefronts", "bounds", "gates", "severity"})
    EXPECT_NE(find_topic(name), nullptr) << name;
  EXPECT_EQ(find_topic(""), nullptr);
  EXPECT_EQ(find_topic("no-such-topic"), nullptr);
}

TEST(Topics, NamesAreUnique) {
  std::set<std::string> names;
  for (const Topic& topic : topics())
    for (const std::string& name : topic.names) EXPECT_TRUE(names.insert(name).second) << name;
}

TEST(Topics, FitATerminalAndSayOneThingInTheirSummary) {
  for (const Topic& topic : topics()) {
    EXPECT_FALSE(topic.summary.empty()) << topic.names.front();
    EXPECT_EQ(topic.text.back(), '\n');
    EXPECT_THAT(topic.text, testing::Not(HasSubstr("\t")));
    std::istringstream lines(topic.text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), 80u) << topic.names.front() << ": " << line;
  }
}

TEST(Topics, ThresholdsAreTheRulesOwn) {
  EXPECT_THAT(find_topic("severity")->text, HasSubstr(severity_thresholds().front().substr(0, 40)));
  EXPECT_THAT(find_topic("occupancy-registers")->text, HasSubstr("reported below 75 %"));
  EXPECT_THAT(find_topic("tail")->text, HasSubstr("at most 10 waves"));
}

/// Words of an example line, without quotes.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

TEST(Topics, ExamplesNameKernelsAndOptionsThatExist) {
  const std::set<std::string> commands = {"explain", "occupancy"};
  const std::set<std::string> common = {"--source", "--fail-on", "--expect", "--arch"};
  int examples = 0;
  for (const Topic& topic : topics()) {
    std::istringstream lines(topic.text.substr(topic.text.find("To see it")));
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> words = words_of(line);
      if (words.size() < 2 || words[0] != "gpuprobe") continue;
      ++examples;
      if (words[1] == "explain") {
        EXPECT_NE(find_topic(words.at(2)), nullptr) << line;
      }
      if (commands.count(words[1]) > 0) continue;
      const KernelFamily* family = find_kernel_family(words[1]);
      ASSERT_NE(family, nullptr) << line;
      std::map<std::string, std::string, std::less<>> given;
      for (std::size_t i = 2; i < words.size(); ++i) {
        if (words[i].rfind("--", 0) != 0) continue;
        if (common.count(words[i]) > 0) break;  // the rest belongs to the common options
        const bool has_value = i + 1 < words.size() && words[i + 1].rfind("--", 0) != 0;
        given[words[i].substr(2)] = has_value ? words[i + 1] : "";
      }
      const auto values = validate(*family, given);
      ASSERT_TRUE(values) << line << ": " << values.error().what;
      EXPECT_TRUE(family->build(*values)) << line;
    }
  }
  EXPECT_GT(examples, 30);
}

}  // namespace
}  // namespace gpuprobe::diagnose
