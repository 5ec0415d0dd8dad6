// Kernels that are wrong, endless, odd or merely unusual. The first line of each file of kernels/ says what
// `gpuprobe run` must make of it without a GPU, in little time: "// exit CODE: words that are said".
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "program.h"

namespace gpuprobe {
namespace {

std::vector<std::string> kernels() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(GPUPROBE_HOSTILE_KERNELS))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class HostileKernel : public testing::TestWithParam<std::string> {};

TEST_P(HostileKernel, EndsAsItsFirstLineSays) {
  std::ifstream file(std::string(GPUPROBE_HOSTILE_KERNELS "/") + GetParam() + ".cu", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const std::regex kExpected("^// exit ([0-9]+): ([^\n]*)");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(text, match, kExpected)) << "the first line must be // exit CODE: words";
  const Folder folder;
  folder.write("kernel.cu", text);
  const Ended ended = run_gpuprobe({"run", "kernel.cu", "--source", "model", "--timeout", "5"}, folder);
  EXPECT_EQ(ended.code, std::stoi(match[1])) << ended.error.substr(0, 2000);
  const std::string said = std::regex_replace(ended.error + ended.output, std::regex("\\s+"), " ");
  EXPECT_NE(said.find(match[2]), std::string::npos)
      << "'" << match[2] << "' is not said:\n"
      << ended.error.substr(0, 2000) << ended.output.substr(0, 2000);
}

INSTANTIATE_TEST_SUITE_P(All, HostileKernel, testing::ValuesIn(kernels()),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace gpuprobe
