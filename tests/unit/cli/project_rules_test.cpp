// The rules of the source tree that a compiler does not check: who may include whom, where a library's
// headers may appear, how long a file may be, and that nothing is left half done. See ARCHITECTURE.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 400;
// A table of cases is one subject at any length, within reason.
constexpr std::size_t kMostTestLines = 500;

fs::path root() {
  return fs::path(GPUPROBE_TESTS_DIR).parent_path();
}

struct SourceFile {
  std::string path;  ///< relative to the root, "src/core/unit.h"
  std::vector<std::string> lines;
};

bool is_source(const fs::path& path) {
  static const std::set<std::string> kEndings{".cpp", ".h", ".cu", ".sh", ".cmake"};
  return kEndings.count(path.extension().string()) > 0 || path.filename() == "CMakeLists.txt";
}

std::vector<SourceFile> files_under(const std::string& folder) {
  std::vector<SourceFile> files;
  if (!fs::exists(root() / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
    if (!entry.is_regular_file() || !is_source(entry.path())) continue;
    SourceFile file{fs::relative(entry.path(), root()).generic_string(), {}};
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
    files.push_back(std::move(file));
  }
  return files;
}

/// The targets of the #include lines, with the quotes or angle brackets.
std::vector<std::string> includes_of(const SourceFile& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<][^">]+[">]))");
  std::vector<std::string> includes;
  std::smatch match;
  for (const std::string& line : file.lines)
    if (std::regex_search(line, match, kInclude)) includes.push_back(match[1]);
  return includes;
}

bool starts_with_any(const std::string& text, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&text](const std::string& beginning) { return text.rfind(beginning, 0) == 0; });
}

/// Project includes that a folder may use beside its own.
const std::map<std::string, std::vector<std::string>>& allowed_folders() {
  static const std::map<std::string, std::vector<std::string>> kAllowed{
      {"core", {}},
      {"kernels", {"core/", "metrics/catalog.h"}},
      {"compile", {"core/", "metrics/catalog.h"}},
      {"metrics", {"core/"}},
      {"model", {"core/", "metrics/catalog.h"}},
      {"report", {"core/", "metrics/catalog.h"}},
      {"inject", {"core/", "metrics/", "report/writers/json/"}},
      {"diagnose", {"core/", "metrics/catalog.h", "model/memory/", "model/occupancy/"}},
  };
  return kAllowed;
}

TEST(ProjectRules, FoldersIncludeOnlyWhatTheyMay) {
  std::size_t seen = 0;
  for (const auto& [folder, allowed] : allowed_folders()) {
    std::vector<std::string> may = allowed;
    may.push_back(folder + "/");
    for (const SourceFile& file : files_under("src/" + folder)) {
      if (file.path.ends_with(".cu")) continue;  // device code is compiled by NVRTC, not with the project
      for (const std::string& include : includes_of(file)) {
        if (include[0] != '"') continue;
        ++seen;
        EXPECT_TRUE(starts_with_any(include.substr(1), may)) << file.path << " includes " << include;
      }
    }
  }
  EXPECT_GT(seen, 100u) << "the tree was not found";
}

TEST(ProjectRules, LibrariesStayInTheirFolders) {
  struct Rule {
    std::string pattern;               ///< of the include
    std::vector<std::string> folders;  ///< where it may appear
  };
  const std::vector<Rule> rules{
      {R"([<"](cuda|cuda_runtime.*|cudaTypedefs|nvml|driver_types)\.h[>"])",
       {"src/compile/", "src/metrics/cupti/"}},
      {R"([<"]nvrtc\.h[>"])", {"src/compile/", "src/metrics/cupti/"}},
      {R"([<"]cupti.*[>"])", {"src/metrics/cupti/"}},
      {R"([<"]CLI/.*[>"])", {"src/cli/"}},
      {R"([<"]nlohmann/.*[>"])", {"src/metrics/recorded/", "src/report/writers/"}},
      {R"([<"]spdlog/.*[>"])", {"src/cli/", "src/metrics/cupti/"}},
  };
  for (const SourceFile& file : files_under("src")) {
    if (file.path.ends_with(".cu")) continue;
    for (const std::string& include : includes_of(file))
      for (const Rule& rule : rules)
        EXPECT_TRUE(!std::regex_match(include, std::regex(rule.pattern)) ||
                    starts_with_any(file.path, rule.folders))
            << file.path << " includes " << include;
  }
}

TEST(ProjectRules, OnlyCommandsReadTheCommandLineLibrary) {
  for (const SourceFile& file : files_under("src")) {
    if (file.path.starts_with("src/cli/")) continue;
    for (const std::string& line : file.lines)
      EXPECT_EQ(line.find("CLI::"), std::string::npos) << file.path << ": " << line;
  }
}

TEST(ProjectRules, FilesAreShort) {
  for (const char* folder : {"src", "tests", "bench", "cmake", "scripts"})
    for (const SourceFile& file : files_under(folder))
      EXPECT_LE(file.lines.size(), file.path.starts_with("tests/") ? kMostTestLines : kMostLines)
          << file.path << " has more than one subject, most likely";
}

TEST(ProjectRules, NothingIsLeftHalfDone) {
  // Put together so that this file does not hold the words itself.
  const std::regex unfinished(std::string("\\b(TO") + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b|not " +
                              "implemented");
  for (const char* folder : {"src", "tests", "bench", "cmake", "scripts", "man"})
    for (const SourceFile& file : files_under(folder))
      for (const std::string& line : file.lines)
        EXPECT_FALSE(std::regex_search(line, unfinished)) << file.path << ": " << line;
}

TEST(ProjectRules, HeadersAreGuardedAndSayWhatTheyAreFor) {
  for (const SourceFile& file : files_under("src")) {
    if (!file.path.ends_with(".h")) continue;
    ASSERT_FALSE(file.lines.empty()) << file.path;
    EXPECT_TRUE(file.lines.front().starts_with("//")) << file.path << " does not say what it is for";
    EXPECT_NE(std::find(file.lines.begin(), file.lines.end(), "#pragma once"), file.lines.end()) << file.path;
  }
}

}  // namespace
