// What a script sees: the exit code of each kind of end, the report alone on stdout, messages on stderr.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process.h"

namespace gpuprobe::cli_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> predicted(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--source", "model"});
  return arguments;
}

TEST(ExitCode, FineIsZeroWithTheReportOnStdout) {
  const Outcome o = run(predicted({"transpose", "--pad", "-n", "256"}));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, StartsWith("transpose "));
  EXPECT_THAT(o.out, HasSubstr("\nverdict: "));
}

TEST(ExitCode, AGateThatFailsIsOne) {
  for (const auto& gate : {std::vector<std::string>{"--fail-on", "any"},
                           std::vector<std::string>{"--fail-on", "tail,bank-conflict-load"},
                           std::vector<std::string>{"--expect", "shared.load.wavefronts_per_request <= 1"}}) {
    std::vector<std::string> arguments{"transpose", "-n", "2048"};
    arguments.insert(arguments.end(), gate.begin(), gate.end());
    const Outcome o = run(predicted(arguments));
    EXPECT_EQ(o.code, 1) << gate[1] << "\n" << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("verdict: ")) << "the report is there all the same";
  }
}

TEST(ExitCode, AGateThatHoldsIsZero) {
  const Outcome o = run(predicted({"transpose", "--pad", "-n", "2048", "--fail-on", "bank-conflict-load",
                                   "--expect", "shared.load.conflict_degree <= 1"}));
  EXPECT_EQ(o.code, 0) << o.out << o.err;
}

TEST(ExitCode, NoLaunchPassesNoGate) {
  const Folder folder;
  const std::string empty = folder.write(
      "empty.json",
      R"({"schema_version": 1, "gpuprobe": {"version": "0.1.0"}, "environment": {"gpuprobe_version": "0.1.0",
          "device": "", "arch": "", "driver": "", "cuda": "", "cupti": "", "compiler": "", "date": ""}, "runs": []})");
  EXPECT_EQ(run({"diagnose", empty}).code, 0) << run({"diagnose", empty}).err;
  for (const auto& gate :
       {std::vector<std::string>{"--fail-on", "any"}, std::vector<std::string>{"--fail-on", "tail"},
        std::vector<std::string>{"--expect", "global.load.requests >= 0"}}) {
    const Outcome o = run({"diagnose", empty, gate[0], gate[1]});
    EXPECT_EQ(o.code, 3) << gate[1];
    EXPECT_THAT(o.err, HasSubstr("there is no launch to judge"));
  }
}

TEST(ExitCode, WrongUsageIsTwoAndSaysWhatToDo) {
  const Folder folder;
  const std::string broken = folder.write("broken.json", "{\"schema_version\": ");
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"transpos"},
                                             {"transpose", "--tyle", "8"},
                                             {"transpose", "--tile", "x"},
                                             {"transpose", "--expect", "no.such.metric == 1"},
                                             {"transpose", "--arch", "sm_1"},
                                             {"transpose", "--format", "yaml"},
                                             {"diagnose", folder.path() + "/absent.json"},
                                             {"diagnose", broken},
                                             {"run", folder.path() + "/absent.cu"},
                                             {"check", folder.path() + "/absent.toml"},
                                             {"compare", broken, broken},
                                             {"explain", "nothing"}}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments[0] << " " << arguments.back();
    EXPECT_THAT(o.out, IsEmpty());
    EXPECT_THAT(o.err, HasSubstr("\n")) << "what and what to do";
  }
}

TEST(ExitCode, ANumberThatThisMachineCannotHaveIsThree) {
  const Outcome o = run(predicted({"saxpy", "-n", "4096", "--expect", "time.duration < 1s"}));
  EXPECT_EQ(o.code, 3) << o.out << o.err;
}

TEST(ExitCode, AMachineWithoutTheGpuThatIsAskedForIsThree) {
  Call call;
  call.arguments = {"saxpy", "-n", "4096", "--source", "gpu"};
  call.environment = {{"CUDA_VISIBLE_DEVICES", ""}};  // none, wherever this runs
  const Outcome o = run(call);
  EXPECT_EQ(o.code, 3) << o.out << o.err;
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(o.err, HasSubstr("\n"));
}

TEST(ExitCode, AKernelThatFailsIsFour) {
  const Folder folder;
  const std::string head =
      "/* gpuprobe\n[[kernel]]\nname = \"k\"\ngrid = 1\nblock = 32\nargs = [\"out:i32[32]\"]\n";
  const std::string wrong = folder.write(
      "wrong.cu", head +
                      "check_kernel = \"r\"\n*/\n__global__ void k(int* out) { out[threadIdx.x] = 1; }\n"
                      "__global__ void r(int* out) { out[threadIdx.x] = 2; }\n");
  const std::string uncompiled =
      folder.write("uncompiled.cu", head + "*/\n__global__ void k(int* out) { out = ; }\n");
  const std::string outside =
      folder.write("outside.cu", head + "*/\n__global__ void k(int* out) { out[threadIdx.x + 1] = 1; }\n");
  const std::string endless = folder.write(
      "endless.cu",
      head +
          "*/\n__global__ void k(int* out) { for (unsigned i = 0; out[threadIdx.x] == 0 && i != 1; i += 2) "
          "out[threadIdx.x] = 0; }\n");
  for (const std::string& file : {wrong, uncompiled, outside}) {
    const Outcome o = run(predicted({"run", file}));
    EXPECT_EQ(o.code, 4) << file << "\n" << o.out << o.err;
  }
  const Outcome o = run(predicted({"run", endless, "--timeout", "0.5"}));
  EXPECT_EQ(o.code, 4) << o.out << o.err;
  EXPECT_FALSE(o.hung);
}

}  // namespace
}  // namespace gpuprobe::cli_test
