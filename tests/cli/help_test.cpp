// --help of every command against the manual page, both ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "process.h"

namespace gpuprobe::cli_test {
namespace {

using testing::Contains;
using testing::StartsWith;

using Options = std::set<std::string>;

std::string without_escapes(std::string line) {
  for (std::size_t at; (at = line.find("\\-")) != std::string::npos;) line.erase(at, 1);
  return line;
}

void add_matches(const std::string& line, const std::regex& pattern, Options& found) {
  for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match)
    found.insert((*match)[1]);
}

/// The options of each command: "sweep matmul" -> {"--tile", ...}.
std::map<std::string, Options> manual_commands() {
  static const std::regex kHeading("^\\.SS gpuprobe ((?:[a-z][a-z0-9-]* ?)+)");
  static const std::regex kOption("^\\.B (?:-[a-zA-Z], )?(--[a-z][a-z0-9-]*)");
  static const std::regex kNamed("(--[a-z][a-z0-9-]*)");
  std::ifstream file(GPUPROBE_MANUAL);
  std::map<std::string, Options> commands;
  Options* current = nullptr;
  for (std::string line; std::getline(file, line);) {
    line = without_escapes(line);
    if (line.starts_with(".SH")) current = nullptr;
    std::smatch match;
    if (std::regex_search(line, match, kHeading)) {
      std::string name = match[1];
      while (name.back() == ' ') name.pop_back();
      current = &commands[name];
    } else if (current != nullptr) {
      if (line.starts_with("Common options: "))
        add_matches(line, kNamed, *current);
      else if (std::regex_search(line, match, kOption))
        current->insert(match[1]);
    }
  }
  return commands;
}

std::string help_of(const std::string& command) {
  Call call;
  std::istringstream words(command);
  for (std::string word; words >> word;) call.arguments.push_back(word);
  call.arguments.emplace_back("--help");
  const Outcome o = run(call);
  EXPECT_EQ(o.code, 0) << command << ": " << o.err;
  EXPECT_EQ(o.err, "") << command;
  EXPECT_THAT(o.out, StartsWith("gpuprobe"));
  return o.out;
}

/// Those that begin a line of the option lists.
Options options_in(const std::string& help) {
  static const std::regex kOption("^  (?:-[a-zA-Z], )?(--[a-z][a-z0-9-]*)");
  Options found;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) add_matches(line, kOption, found);
  return found;
}

/// The names that head the lines of a help's lists of commands and kernels.
std::set<std::string> commands_in(const std::string& help) {
  static const std::regex kName("^  ([a-z][a-z0-9-]*)(?:  |$)");
  std::set<std::string> found;
  std::istringstream lines(help.substr(help.find(":\n")));
  for (std::string line; std::getline(lines, line);) add_matches(line, kName, found);
  return found;
}

TEST(Manual, HasTheOptionsOfEveryHelpAndNoOther) {
  const auto commands = manual_commands();
  ASSERT_GT(commands.size(), 25u);
  for (const auto& [command, options] : commands) EXPECT_EQ(options_in(help_of(command)), options) << command;
}

TEST(Manual, HasEveryCommandOfTheHelpAndNoOther) {
  const std::set<std::string> listed = commands_in(help_of(""));
  ASSERT_THAT(listed, Contains("transpose"));
  std::set<std::string> described;
  for (const auto& [command, options] : manual_commands())
    described.insert(command.substr(0, command.find(' ')));
  EXPECT_EQ(listed, described);
}

TEST(Help, OfEveryCommandThatHasSubcommandsListsThem) {
  std::map<std::string, std::set<std::string>> described;
  for (const auto& [command, options] : manual_commands())
    if (const auto space = command.find(' '); space != std::string::npos)
      described[command.substr(0, space)].insert(command.substr(space + 1));
  for (const std::string command : {"source", "sweep", "explain"}) {
    ASSERT_FALSE(described[command].empty()) << command;
    for (const std::string& sub : described[command])
      EXPECT_THAT(commands_in(help_of(command)), Contains(sub));
  }
}

}  // namespace
}  // namespace gpuprobe::cli_test
