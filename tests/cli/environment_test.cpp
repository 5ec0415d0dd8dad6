// Every environment variable that the sources read is in the manual page and known to `gpuprobe doctor`, and
// no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "process.h"

namespace gpuprobe::cli_test {
namespace {

using Names = std::set<std::string>;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Names matches(const std::string& text, const std::regex& pattern) {
  Names found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

/// The names in capitals in the files that ask for variables, directly or through library_candidates().
Names read_by_the_sources() {
  static const std::regex kName("\"([A-Z][A-Z0-9_]+)\"");
  Names found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GPUPROBE_SOURCE "/src")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    if (entry.path().stem() == "environment") continue;  // the list itself
    const std::string text = text_of(entry.path());
    if (text.find("getenv") == std::string::npos && text.find("library_candidates(") == std::string::npos)
      continue;
    found.merge(matches(text, kName));
  }
  return found;
}

TEST(Environment, EveryVariableThatIsReadIsInTheManualAndNoOther) {
  const Names read = read_by_the_sources();
  ASSERT_TRUE(read.contains("GPUPROBE_CUBLAS"));
  const std::string manual = text_of(GPUPROBE_MANUAL);
  const std::size_t begin = manual.find(".SH ENVIRONMENT");
  ASSERT_NE(begin, std::string::npos);
  const std::string section = manual.substr(begin, manual.find(".SH", begin + 1) - begin);
  Names described;
  static const std::regex kHeading("\\.TP\n\\.BR? ([^\n]*)");
  static const std::regex kName("([A-Z][A-Z0-9_]+)");
  for (const std::string& heading : matches(section, kHeading)) described.merge(matches(heading, kName));
  EXPECT_EQ(described, read);
}

TEST(Environment, TheDoctorTellsWhatIsSet) {
  const Folder folder;
  Call call;
  call.arguments = {"doctor"};
  call.bare_environment = true;
  EXPECT_THAT(run(call).out, testing::Not(testing::HasSubstr("environment")));
  for (const std::string& name : read_by_the_sources()) call.environment[name] = folder.path();
  const std::string out = run(call).out;
  for (const std::string& name : read_by_the_sources())
    EXPECT_THAT(out, testing::HasSubstr("    " + name + "=" + folder.path() + "\n"));
}

TEST(Doctor, TriesToKeepSomething) {
  const Folder folder;
  Call call;
  call.arguments = {"doctor"};
  call.environment["XDG_CACHE_HOME"] = folder.path();
  EXPECT_THAT(run(call).out, testing::HasSubstr("ok  cache"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() + "/gpuprobe"));
  call.environment["XDG_CACHE_HOME"] = folder.write("file", "");
  EXPECT_THAT(run(call).out, testing::HasSubstr("no  cache      compiled kernels cannot be kept in"));
}

}  // namespace
}  // namespace gpuprobe::cli_test
