// The parts of the injected profiler, each alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "metrics/cupti/inject/counter_turn.h"
#include "metrics/cupti/inject/launch_call.h"
#include "metrics/cupti/inject/launch_gate.h"
#include "metrics/cupti/inject/selection.h"
#include "metrics/cupti/inject/stream_captures.h"
#include "support/temporary_folder.h"
#include "unit/metrics/cupti/fake_driver.h"

namespace gpuprobe::cupti {
namespace {

using std::chrono::milliseconds;

TEST(LaunchGate, LetsAnyNumberInUnlessItIsClosed) {
  LaunchGate gate;
  {
    const auto one = gate.enter();
    const auto two = gate.enter();
    EXPECT_FALSE(gate.close(milliseconds(5)));
  }
  auto closed = gate.close(milliseconds(5));
  ASSERT_TRUE(closed);
  EXPECT_FALSE(gate.close(milliseconds(5)));
  std::atomic<bool> entered = false;
  std::thread newcomer([&] {
    const auto pass = gate.enter();
    entered = true;
  });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(entered);
  closed.reset();
  newcomer.join();
  EXPECT_TRUE(entered);
  EXPECT_TRUE(gate.close(milliseconds(5)));
}

TEST(LaunchGate, ACloserThatGivesUpLetsTheNewcomersIn) {
  LaunchGate gate;
  auto one = gate.enter();
  std::thread closer([&] { EXPECT_FALSE(gate.close(milliseconds(20))); });
  std::thread newcomer([&] { const auto pass = gate.enter(); });
  newcomer.join();
  closer.join();
}

TEST(LaunchGate, ManyThreads) {
  LaunchGate gate;
  std::atomic<int> inside = 0, alone = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        if (t < 4) {
          const auto pass = gate.enter();
          ++inside;
          if (alone > 0) ++wrong;
          --inside;
        } else if (const auto pass = gate.close(milliseconds(1000))) {
          if (++alone != 1 || inside > 0) ++wrong;
          --alone;
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// A folder of the test's own for temporary files.
struct TemporaryFiles {
  TemporaryFiles() { ::setenv("TMPDIR", folder.path().c_str(), 1); }
  ~TemporaryFiles() { ::unsetenv("TMPDIR"); }
  test::TemporaryFolder folder;
};

/// What `act` returns in a process of its own.
template <class Act>
int in_another_process(Act act) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(act());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CounterTurn, OneProcessAtATime) {
  const TemporaryFiles files;
  const std::string bus = "test-turn-" + std::to_string(::getpid());
  auto turn = CounterTurn::join(bus);
  EXPECT_TRUE(turn.alone());
  ASSERT_TRUE(turn.take(milliseconds(0)));
  const auto other = [&] {
    auto own = CounterTurn::join(bus);
    return (own.take(milliseconds(10)) ? 1 : 0) + (own.alone() ? 2 : 0);
  };
  EXPECT_EQ(in_another_process(other), 0);
  EXPECT_TRUE(turn.alone());  // the other one has ended
  turn.give();
  EXPECT_EQ(in_another_process(other), 1);
  EXPECT_TRUE(turn.take(milliseconds(0)));  // it ended in its turn
  turn.give();
}

TEST(CounterTurn, AForkedChildInheritsNoTurn) {
  const TemporaryFiles files;
  const std::string bus = "test-fork-" + std::to_string(::getpid());
  auto turn = CounterTurn::join(bus);
  ASSERT_TRUE(turn.take(milliseconds(0)));
  const pid_t child = ::fork();
  if (child == 0) {
    ::usleep(300000);
    ::_exit(0);
  }
  turn.give();
  EXPECT_TRUE(turn.alone());
  int status = 0;
  ::waitpid(child, &status, 0);
}

TEST(StreamCaptures, CountsBeginsAndEnds) {
  StreamCaptures captures;
  auto* const stream = fake_handle<CUstream>(0x1);
  EXPECT_FALSE(captures.any());
  captures.end(stream);  // of a stream that was never begun
  captures.begin(stream);
  captures.begin(stream);  // refused by the driver,
  captures.end(stream);    // so taken back
  EXPECT_TRUE(captures.any());
  captures.end(stream);
  EXPECT_FALSE(captures.any());
}

TEST(LaunchCalls, AreReadWhicheverFunctionItWas) {
  CUpti_CallbackData data = {};
  data.symbolName = "_Z5scaleIfEvPT_S0_";
  data.context = fake_handle<CUcontext>(0x10);
  cuLaunchKernel_params plain = {};
  plain.f = fake_handle<CUfunction>(0x30);
  plain.gridDimX = 5;
  plain.gridDimY = plain.gridDimZ = 1;
  plain.blockDimX = 64;
  plain.blockDimY = 2;
  plain.blockDimZ = 1;
  plain.sharedMemBytes = 512;
  data.functionParams = &plain;
  LaunchCall call = launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, data);
  EXPECT_EQ(call.launch.grid.x, 5U);
  EXPECT_EQ(call.launch.block.count(), 128U);
  EXPECT_EQ(call.launch.dynamic_shared, 512U);
  EXPECT_EQ(call.stream, nullptr);
  EXPECT_FALSE(call.cooperative);
  EXPECT_EQ(launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, data).stream, CU_STREAM_PER_THREAD);

  cuLaunchCooperativeKernel_params together = {};
  together.gridDimX = together.gridDimY = together.gridDimZ = 1;
  together.blockDimX = together.blockDimY = together.blockDimZ = 1;
  data.functionParams = &together;
  EXPECT_TRUE(launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, data).cooperative);

  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[0].value.clusterDim = {2, 1, 1};
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[1].value.cooperative = 1;
  CUlaunchConfig config = {};
  config.gridDimX = 8;
  config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  cuLaunchKernelEx_params extended = {};
  extended.config = &config;
  data.functionParams = &extended;
  call = launch_call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, data);
  EXPECT_TRUE(call.cooperative);
  EXPECT_EQ(call.launch.cluster.x, 2U);
  EXPECT_EQ(call.launch.grid.x, 8U);
}

TEST(LaunchCalls, KindsOfCalls) {
  EXPECT_EQ(kind_of(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz), CallKind::kLaunch);
  EXPECT_EQ(kind_of(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch), CallKind::kGraph);
  EXPECT_EQ(kind_of(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2), CallKind::kBeginCapture);
  EXPECT_EQ(kind_of(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz), CallKind::kEndCapture);
  EXPECT_EQ(kind_of(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2), CallKind::kMemory);
  EXPECT_TRUE(writes_memory("cuMemcpyHtoDAsync_v2"));
  EXPECT_TRUE(writes_memory("cuMemsetD8Async_ptsz"));
  EXPECT_FALSE(writes_memory("cuMemAlloc_v2"));
}

TEST(LaunchCalls, ReadableNames) {
  EXPECT_EQ(readable_name("_Z5scaleIfEvPT_S0_"), "scale<float>");
  EXPECT_EQ(readable_name("transpose"), "transpose");
  EXPECT_EQ(readable_name(""), "");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_13addEPf"), "(anonymous namespace)::add");
}

TEST(Selections, SkipAndCountAreOfTheMatches) {
  auto selection = *Selection::make({.kernel = "^ge?mm", .skip = 1, .count = 1});
  EXPECT_TRUE(selection.matches("gemm_nn"));
  EXPECT_FALSE(selection.matches("the gemm"));
  EXPECT_FALSE(selection.selects_next({}));
  EXPECT_TRUE(selection.selects_next({}));
  EXPECT_FALSE(selection.selects_next({}));
  EXPECT_FALSE(Selection::make({.kernel = "("}));
}

TEST(Selections, AVeryLongNameIsMatchedByItsBeginning) {
  auto selection = *Selection::make({.kernel = "(a|b)*c"});
  EXPECT_FALSE(selection.matches(std::string(1000000, 'a')));
  EXPECT_TRUE(selection.matches(std::string(100, 'a') + "c"));
}

}  // namespace
}  // namespace gpuprobe::cupti
