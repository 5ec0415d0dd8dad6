// The commands that the README shows, run in a folder with the files that it speaks of: they give the exit
// code that it states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "process.h"

namespace gpuprobe::cli_test {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string readme() {
  std::ifstream file(GPUPROBE_README);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The lines of its code blocks that begin with gpuprobe (after a prompt), continued lines joined, comments
/// left out.
std::vector<std::string> commands() {
  std::vector<std::string> found;
  std::istringstream lines(readme());
  bool in_block = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) in_block = !in_block;
    if (!in_block) continue;
    if (line.starts_with("$ ")) line.erase(0, 2);
    if (!line.starts_with("gpuprobe ")) continue;
    for (std::string next; line.back() == '\\' && std::getline(lines, next);) {
      line.pop_back();
      line += next;
    }
    if (const auto comment = line.find("  #"); comment != std::string::npos) line.erase(comment);
    while (line.back() == ' ') line.pop_back();
    found.push_back(line);
  }
  return found;
}

/// The block of launch facts that the README shows, without what it expects of it.
std::string launch_block() {
  const std::string text = readme();
  const auto begin = text.find("/* gpuprobe");
  const auto end = text.find("*/", begin);
  EXPECT_NE(begin, std::string::npos);
  return text.substr(begin, end + 2 - begin) + "\n";
}

class Readme : public testing::Test {
 protected:
  Readme() {
    // gpuprobe on the PATH, as after the installation; without a GPU, whatever machine runs the tests.
    const std::string bin = folder_.path() + "/bin";
    std::filesystem::create_directory(bin);
    std::filesystem::create_symlink(GPUPROBE_BINARY, bin + "/gpuprobe");
    path_ = bin + ":" + std::getenv("PATH");
    std::filesystem::create_directory(folder_.path() + "/work");
    folder_.write("work/transpose.cu",
                  launch_block() +
                      "__global__ void transpose_rows(const float* in, float* out, int n) {\n"
                      "  __shared__ float tile[32][33];\n"
                      "  const int x = blockIdx.x * 32, y = blockIdx.y * 32;\n"
                      "  for (int j = threadIdx.y; j < 32; j += 8)\n"
                      "    tile[j][threadIdx.x] = in[(y + j) * n + x + threadIdx.x];\n"
                      "  __syncthreads();\n"
                      "  for (int j = threadIdx.y; j < 32; j += 8)\n"
                      "    out[(x + j) * n + y + threadIdx.x] = tile[threadIdx.x][j];\n"
                      "}\n");
    folder_.write("work/axpy.cu",
                  "__global__ void axpy(float a, const float* x, float* y, int n) {\n"
                  "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) y[i] = a * x[i] + y[i];\n"
                  "}\n");
    const Outcome report = shell("gpuprobe saxpy -n 65536 --format json --output report.json");
    EXPECT_EQ(report.code, 0) << report.err;
  }

  Outcome shell(const std::string& command) const {
    Call call;
    call.program = "/bin/sh";
    call.arguments = {"-c", command};
    call.folder = folder_.path() + "/work";
    call.environment = {{"PATH", path_}, {"CUDA_VISIBLE_DEVICES", ""}};
    return run(call);
  }

  Folder folder_;
  std::string path_;
};

TEST_F(Readme, CommandsGiveTheExitCodeThatItStates) {
  const std::vector<std::string> all = commands();
  ASSERT_THAT(all, Contains("gpuprobe transpose"));
  ASSERT_THAT(all, Contains(HasSubstr("--fail-on")));
  for (const std::string& command : all) {
    // What needs more than a machine without a GPU has its own tests; here it must be a command all the same.
    const bool needs_more =
        command.find("--source gpu") != std::string::npos ||
        command.find("gpuprobe app") != std::string::npos || command.find("calibrate") != std::string::npos ||
        command.find("mpirun") != std::string::npos || command.find("merge") != std::string::npos;
    // A suite is begun where no launch is described yet.
    const Outcome o =
        shell(command.starts_with("gpuprobe init") ? "mkdir new && cp axpy.cu new && cd new && " + command
                                                   : command);
    EXPECT_FALSE(o.hung) << command;
    if (needs_more)
      EXPECT_NE(o.code, 70) << command << "\n" << o.out << o.err;
    else
      EXPECT_EQ(o.code, 0) << command << "\n" << o.out << o.err;
  }
}

TEST_F(Readme, TheGateThatItShowsFailsWithoutThePadding) {
  const std::vector<std::string> all = commands();
  const auto gate = std::find_if(all.begin(), all.end(), [](const std::string& command) {
    return command.find("--fail-on") != std::string::npos;
  });
  ASSERT_NE(gate, all.end());
  std::string unpadded = *gate;
  const auto pad = unpadded.find(" --pad");
  ASSERT_NE(pad, std::string::npos);
  unpadded.erase(pad, 6);
  EXPECT_EQ(shell(unpadded).code, 1);
}

TEST_F(Readme, ShowsTheVerdictThatIsPrinted) {
  const Outcome o = shell("gpuprobe transpose");
  for (const char* shown : {"verdict: bank-conflict-load\n", "16,777,216 wavefronts"})
    EXPECT_THAT(readme(), HasSubstr(shown));
  EXPECT_THAT(o.out, HasSubstr("verdict: bank-conflict-load\n"));
}

}  // namespace
}  // namespace gpuprobe::cli_test
