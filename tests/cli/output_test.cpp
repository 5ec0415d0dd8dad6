// Where the report goes when it cannot: closed and full outputs, folders that cannot be written, no home.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process.h"

namespace gpuprobe::cli_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Call small_run() {
  Call call;
  call.arguments = {"saxpy", "-n", "4096", "--source", "model"};
  return call;
}

TEST(Stdout, ClosedIsAnErrorOfTheMachine) {
  Call call = small_run();
  call.standard_output = Call::Stdout::kClosed;
  const Outcome o = run(call);
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_THAT(o.err, HasSubstr("--output"));
}

TEST(Stdout, FullIsAnErrorOfTheMachine) {
  for (const auto& arguments :
       {small_run().arguments, std::vector<std::string>{"list"}, std::vector<std::string>{"--help"},
        std::vector<std::string>{"explain", "banks"}}) {
    Call call;
    call.arguments = arguments;
    call.standard_output = Call::Stdout::kFullDevice;
    const Outcome o = run(call);
    EXPECT_EQ(o.code, 3) << arguments[0] << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr("No space left on device"));
  }
}

TEST(Stdout, AReaderThatWentAwayIsNoError) {
  for (const auto& arguments :
       {small_run().arguments, std::vector<std::string>{"metrics"}, std::vector<std::string>{"--help"}}) {
    Call call;
    call.arguments = arguments;
    call.standard_output = Call::Stdout::kReaderGone;
    const Outcome o = run(call);
    EXPECT_EQ(o.code, 0) << arguments[0] << "\n" << o.err;
    EXPECT_EQ(o.signal, 0);
  }
}

TEST(OutputFile, IsWholeAndLeavesStdoutEmpty) {
  const Folder folder;
  Call call = small_run();
  call.arguments.insert(call.arguments.end(),
                        {"--format", "json", "--output", folder.path() + "/report.json"});
  const Outcome o = run(call);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, IsEmpty());
  EXPECT_THAT(folder.names(), ElementsAre("report.json"));
  const Outcome again = run({"diagnose", folder.path() + "/report.json"});
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST(OutputFile, FullDeviceIsAnErrorOfTheMachine) {
  Call call = small_run();
  call.arguments.insert(call.arguments.end(), {"--output", "/dev/full"});
  const Outcome o = run(call);
  EXPECT_EQ(o.code, 3) << o.err;
  EXPECT_THAT(o.err, HasSubstr("No space left on device"));
}

TEST(OutputFile, ThatCannotBeCreatedIsWrongUsageBeforeAnythingRuns) {
  const Folder folder;
  const std::string file = folder.write("file", "x");
  for (const std::string& path : {folder.path() + "/absent/report.txt", file + "/report.txt", folder.path(),
                                  std::string("/proc/report.txt")}) {
    Call call;
    // Would run for minutes.
    call.arguments = {"matmul", "-n", "4096", "--exact", "--source", "model", "--output", path};
    const Outcome o = Process::start(call).wait(std::chrono::seconds(10));
    EXPECT_EQ(o.code, 2) << path << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr("cannot write '" + path + "'"));
    EXPECT_THAT(folder.names(), ElementsAre("file"));
  }
}

TEST(Environment, NeitherHomeNorAnythingElseIsNeeded) {
  Call call = small_run();
  call.bare_environment = true;
  const Outcome o = run(call);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, StartsWith("saxpy "));
}

TEST(Environment, ACacheThatCannotBeWrittenOnlyCostsTime) {
  const Folder folder;
  const std::string file = folder.write("file", "x");
  for (const std::string& cache : {file + "/cache", std::string("/proc/cache"), std::string("/dev/null")}) {
    Call call = small_run();
    call.environment = {{"XDG_CACHE_HOME", cache}};
    const Outcome o = run(call);
    EXPECT_EQ(o.code, 0) << cache << "\n" << o.err;
    EXPECT_THAT(o.out, StartsWith("saxpy "));
  }
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

}  // namespace
}  // namespace gpuprobe::cli_test
