// Signals while work goes on: a sweep keeps what is finished, everything else ends at once, and no
// half-written file stays behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "process.h"

namespace gpuprobe::cli_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

bool becomes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

/// A sweep of 24 combinations, each some tenths of a second and more.
Call long_sweep(const Folder& folder) {
  Call call;
  call.arguments = {"sweep",
                    "matmul",
                    "-n",
                    "96,100,104,108,112,116",
                    "--tile",
                    "8,16",
                    "--pad",
                    "0,1",
                    "--source",
                    "model",
                    "--exact",
                    "--format",
                    "csv",
                    "--output",
                    folder.path() + "/table.csv",
                    "--threads",
                    "1"};
  return call;
}

TEST(Interrupt, ASweepKeepsWhatIsFinished) {
  const Folder folder;
  Process process = Process::start(long_sweep(folder));
  ASSERT_TRUE(becomes_true([&] { return !folder.names().empty(); })) << "the output is opened first";
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.signal(SIGINT);
  const Outcome o = process.wait();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_THAT(o.err, HasSubstr("interrupted: "));
  EXPECT_THAT(folder.names(), ElementsAre("table.csv"));
  const std::string table = folder.read("table.csv");
  const auto lines = std::count(table.begin(), table.end(), '\n');
  EXPECT_GE(lines, 2) << "a heading and the combination at hand\n" << table;
  EXPECT_LT(lines, 25) << "not all";
  EXPECT_EQ(table.back(), '\n');
}

TEST(Interrupt, ASecondOneEndsTheSweepWithNothingLeft) {
  const Folder folder;
  Call call = long_sweep(folder);
  call.arguments[3] = "1024,1032";  // one combination takes seconds
  Process process = Process::start(call);
  ASSERT_TRUE(becomes_true([&] { return !folder.names().empty(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  process.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  process.signal(SIGINT);
  const Outcome o = process.wait();
  EXPECT_EQ(o.signal, SIGINT) << o.code << o.err;
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(Interrupt, TerminationEndsASweepWithNothingLeft) {
  const Folder folder;
  Process process = Process::start(long_sweep(folder));
  ASSERT_TRUE(becomes_true([&] { return !folder.names().empty(); }));
  process.signal(SIGTERM);
  const Outcome o = process.wait();
  EXPECT_EQ(o.signal, SIGTERM) << o.code << o.err;
  EXPECT_THAT(folder.names(), IsEmpty());
}

/// A suite whose cases each take `rounds` turns of a loop, and the report of an earlier run.
Call long_check(const Folder& folder, const std::string& rounds) {
  folder.write(
      "k.cu",
      "__global__ void k(int* out, int n) { int s = 0; for (int i = 0; i < n; ++i) s = s * 3 + out[i & 31];"
      " out[blockIdx.x * 256 + threadIdx.x] = s; }\n");
  folder.write("gpuprobe.toml",
               "[[kernel]]\nfile = \"k.cu\"\nname = \"k\"\nvars = { n = [" + rounds +
                   "] }\ngrid = 64\nblock = 256\nargs = [\"out:i32[64 * 256]\", \"n:i32 = n\"]\n");
  folder.write("report.xml", "old");
  Call call;
  call.folder = folder.path();
  call.arguments = {"check",    "--source",   "model",     "--exact", "--format", "junit",
                    "--output", "report.xml", "--threads", "1",       "--jobs",   "1"};
  return call;
}

TEST(Interrupt, ACheckKeepsWhatIsFinished) {
  const Folder folder;
  std::string rounds = "2000";
  for (int i = 1; i < 100; ++i) rounds += ", " + std::to_string(2000 + i);
  Process process = Process::start(long_check(folder, rounds));
  ASSERT_TRUE(becomes_true([&] { return folder.names().size() == 4; })) << "the output is opened first";
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.signal(SIGINT);
  const Outcome o = process.wait();
  EXPECT_EQ(o.code, 130) << o.err;
  EXPECT_THAT(folder.names(), ElementsAre("gpuprobe.toml", "k.cu", "report.xml"));
  EXPECT_THAT(folder.read("report.xml"), HasSubstr("</testsuites>"));
}

TEST(Interrupt, ASecondOneEndsACheckAndLeavesTheOlderReport) {
  const Folder folder;
  Process process = Process::start(long_check(folder, "100000000, 100000001"));
  ASSERT_TRUE(becomes_true([&] { return folder.names().size() == 4; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  process.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  process.signal(SIGINT);
  const Outcome o = process.wait(std::chrono::seconds(10));
  EXPECT_EQ(o.signal, SIGINT) << o.code << o.err;
  EXPECT_THAT(folder.names(), ElementsAre("gpuprobe.toml", "k.cu", "report.xml"));
  EXPECT_EQ(folder.read("report.xml"), "old");
}

TEST(Interrupt, ThatIsIgnoredStaysIgnored) {
  // As under nohup: the shell has set the signal to be ignored.
  Call call;
  call.program = "/bin/sh";
  call.arguments = {"-c",
                    "trap '' HUP; exec \"$0\" \"$@\"",
                    GPUPROBE_BINARY,
                    "matmul",
                    "-n",
                    "128",
                    "--exact",
                    "--source",
                    "model",
                    "--threads",
                    "1"};
  Process process = Process::start(call);
  for (int i = 0; i < 20 && process.is_running(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    process.signal(i < 5 ? 0 : SIGHUP);
  }
  const Outcome o = process.wait();
  EXPECT_EQ(o.code, 0) << o.signal << o.err;
  EXPECT_THAT(o.out, StartsWith("matmul "));
}

}  // namespace
}  // namespace gpuprobe::cli_test
