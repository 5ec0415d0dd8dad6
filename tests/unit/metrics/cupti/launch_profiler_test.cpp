// The profiler inside a program, over a fake driver and a fake CUPTI: which launches are measured, what
// becomes of the others, and that no order of threads, captures and contexts brings it out of step.
#include "metrics/cupti/inject/launch_profiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "support/temporary_folder.h"
#include "unit/metrics/cupti/fake_cupti.h"
#include "unit/metrics/cupti/fake_driver.h"

namespace gpuprobe::cupti {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Keeps what the spool would.
class List : public LaunchSink {
 public:
  void kernel(int id, const Run& run) override {
    const std::lock_guard lock(mutex_);
    runs[id] = run;
  }
  void launch(int id, LaunchFate fate, const std::string& why) override {
    const std::lock_guard lock(mutex_);
    fates[id].push_back(fate);
    if (!why.empty()) reasons.push_back(why);
  }
  void graph() override { ++graphs; }
  void not_selected() override { ++unselected; }
  void note(const std::string& text) override { notes.push_back(text); }

  int count(LaunchFate fate) const {
    int n = 0;
    for (const auto& [id, list] : fates)
      for (const LaunchFate one : list) n += one == fate;
    return n;
  }

  std::map<int, Run> runs;
  std::map<int, std::vector<LaunchFate>> fates;
  std::vector<std::string> reasons;
  std::vector<std::string> notes;
  int graphs = 0;
  int unselected = 0;

 private:
  std::mutex mutex_;
};

CUstream captured_stream_of_test = nullptr;

LaunchDriver make_launch_driver() {
  captured_stream_of_test = nullptr;
  LaunchDriver driver;
  driver.CtxGetDevice = [](CUdevice* device) {
    *device = 0;
    return CUDA_SUCCESS;
  };
  driver.DeviceGetPCIBusId = [](char* text, int, CUdevice) {
    std::strcpy(text, "test");
    return CUDA_SUCCESS;
  };
  driver.CtxSynchronize = [] { return fake_driver().called("CtxSynchronize"); };
  driver.StreamIsCapturing = [](CUstream stream, CUstreamCaptureStatus* status) {
    *status =
        stream == captured_stream_of_test ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  driver.ThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode*) { return CUDA_SUCCESS; };
  driver.FuncGetAttribute = [](int* value, CUfunction_attribute, CUfunction) {
    *value = 32;
    return CUDA_SUCCESS;
  };
  return driver;
}

CUcontext context(std::uintptr_t value) {
  return fake_handle<CUcontext>(value);
}

class Launching : public testing::Test {
 protected:
  Launching() : driver_(make_fake_driver()), cupti_(make_fake_cupti()), launches_(make_launch_driver()) {
    ::setenv("TMPDIR", folder_.path().c_str(), 1);
    fake_cupti().submitted_after = 1;  // CUPTI replays a launch by itself
    fake_cupti().instructions = {{"_Z3addPf", 0x20, "smsp__sass_inst_executed_op_global_ld", 32},
                                 {"_Z3addPf", 0x20, "smsp__sass_sectors_mem_global", 128}};
    profiler_ = make({});
  }

  ~Launching() override { ::unsetenv("TMPDIR"); }

  std::unique_ptr<LaunchProfiler> make(SelectionOptions options) {
    return std::make_unique<LaunchProfiler>(
        Apis{&driver_, &cupti_}, launches_, *Selection::make(std::move(options)), list_,
        Patience{std::chrono::milliseconds(60), std::chrono::milliseconds(30),
                 std::chrono::milliseconds(30)});
  }

  static LaunchCall call(const std::string& symbol = "_Z3addPf", unsigned blocks = 4) {
    LaunchCall call;
    call.symbol = symbol;
    call.function = fake_handle<CUfunction>(0x30);
    call.context = context(0x10);
    call.launch.grid = {blocks, 1, 1};
    call.launch.block = {256, 1, 1};
    return call;
  }
  void launch(const LaunchCall& call, CUresult result = CUDA_SUCCESS) {
    auto flight = profiler_->enter(call, {});
    profiler_->leave(*flight, result);
  }

  test::TemporaryFolder folder_;
  DriverApi driver_;
  CuptiApi cupti_;
  LaunchDriver launches_;
  List list_;
  std::unique_ptr<LaunchProfiler> profiler_;
};

TEST_F(Launching, IsMeasuredOnceThenItsInstructionsThenCounted) {
  for (int i = 0; i < 4; ++i) launch(call());
  EXPECT_THAT(list_.fates[1], ElementsAre(LaunchFate::kMeasured, LaunchFate::kCounted, LaunchFate::kCounted,
                                          LaunchFate::kCounted));
  EXPECT_EQ(fake_cupti().count("RangeProfilerStart"), 1);
  EXPECT_EQ(fake_cupti().count("SassMetricsEnable"), 1);
  EXPECT_EQ(fake_cupti().count("SassMetricsDisable"), 1);
  const gpuprobe::Run& run = list_.runs[1];
  EXPECT_EQ(run.kernel, "add");
  EXPECT_EQ(run.resources.at(0).registers, 32);
  EXPECT_EQ(run.resources.at(0).lowered_name, "_Z3addPf");
  EXPECT_TRUE(run.counters.number("time.duration"));
  EXPECT_EQ(run.sites.size(), 1U);
}

TEST_F(Launching, EveryConfigurationIsAKernelOfItsOwn) {
  launch(call("_Z3addPf", 4));
  launch(call("_Z3addPf", 8));
  launch(call("_Z3subPf", 4));
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 3);
  EXPECT_EQ(list_.runs.size(), 3U);
}

TEST_F(Launching, KernelsThatMustNotBeReplayedAreSkippedWithTheReason) {
  launch(call("_Z23ncclDevKernel_AllReducePv"));
  LaunchCall cooperative = call("_Z4gridPf");
  cooperative.cooperative = true;
  launch(cooperative);
  EXPECT_EQ(list_.count(LaunchFate::kSkipped), 2);
  ASSERT_EQ(list_.reasons.size(), 2U);
  EXPECT_THAT(list_.reasons[0], HasSubstr("other GPUs"));
  EXPECT_THAT(list_.reasons[1], HasSubstr("cooperative"));
  EXPECT_EQ(fake_cupti().count("RangeProfilerEnable"), 0);
}

TEST_F(Launching, WhileAKernelWaitsForOtherGpusNothingWaitsForTheDevice) {
  launch(call("_Z23ncclDevKernel_AllReducePv"));
  fake_driver().never_done = true;
  launch(call());
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 0);
  EXPECT_EQ(fake_driver().count("CtxSynchronize"), 0);
  EXPECT_THAT(list_.reasons.back(), HasSubstr("still running"));
  fake_driver().never_done = false;
  launch(call());
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 1);
}

TEST_F(Launching, RecordedIntoAGraphItIsSkippedAndNothingElseIsMeasuredMeanwhile) {
  LaunchCall recorded = call();
  recorded.stream = captured_stream_of_test = fake_handle<CUstream>(0x77);
  profiler_->captures().begin(recorded.stream);
  launch(recorded);
  launch(call("_Z3subPf"));
  EXPECT_EQ(fake_cupti().count("RangeProfilerStart"), 0);
  EXPECT_EQ(fake_driver().count("CtxSynchronize"), 0);
  ASSERT_EQ(list_.reasons.size(), 2U);
  EXPECT_THAT(list_.reasons[0], HasSubstr("recorded into a CUDA graph"));
  EXPECT_THAT(list_.reasons[1], HasSubstr("another stream was being recorded"));
  profiler_->captures().end(recorded.stream);
  captured_stream_of_test = nullptr;
  launch(call());
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 1);
}

TEST_F(Launching, OnlyWhatIsSelected) {
  profiler_ = make({.kernel = "add", .skip = 1, .count = 2});
  for (int i = 0; i < 5; ++i) {
    launch(call());
    launch(call("_Z3subPf"));
  }
  EXPECT_EQ(list_.unselected, 8);
  EXPECT_THAT(list_.fates[1], ElementsAre(LaunchFate::kMeasured, LaunchFate::kCounted));
}

TEST_F(Launching, OnlyInsideTheRange) {
  profiler_ = make({.nvtx = "forward"});
  launch(call());
  auto flight = profiler_->enter(call(), {"step", "forward"});
  profiler_->leave(*flight, CUDA_SUCCESS);
  EXPECT_EQ(list_.unselected, 1);
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 1);
}

TEST_F(Launching, AUsedUpBudgetIsAReason) {
  profiler_ = make({.budget_s = 1e-9});
  launch(call());
  launch(call("_Z3subPf"));
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 1);
  EXPECT_THAT(list_.reasons, ElementsAre(HasSubstr("--budget")));
}

TEST_F(Launching, BusyCountersCostTheirPatienceOnce) {
  fake_cupti().fails["RangeProfilerStart"] = CUPTI_ERROR_HARDWARE_BUSY;
  launch(call());
  const int tries = fake_cupti().count("RangeProfilerStart");
  EXPECT_GE(tries, 2);
  launch(call());
  launch(call("_Z3subPf"));
  EXPECT_EQ(fake_cupti().count("RangeProfilerStart"), tries);
  EXPECT_EQ(list_.count(LaunchFate::kSkipped), 3);
  EXPECT_THAT(list_.reasons.back(), HasSubstr("in use by another profiler"));
}

TEST_F(Launching, ARefusedLaunchIsSkippedAndTheCountersAreStopped) {
  launch(call(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fake_cupti().count("RangeProfilerStart"), fake_cupti().count("RangeProfilerStop"));
  EXPECT_EQ(list_.count(LaunchFate::kSkipped), 1);
}

TEST_F(Launching, AFailureOfThePassesIsAReasonAndOthersGoOn) {
  fake_cupti().dropped = 1;
  launch(call());
  EXPECT_THAT(list_.reasons, ElementsAre(HasSubstr("dropped")));
  fake_cupti().dropped = 0;
  launch(call());
  launch(call("_Z3subPf"));
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 1);
  EXPECT_EQ(list_.count(LaunchFate::kSkipped), 2);
}

TEST_F(Launching, WithoutInstructionCountsTheCountersStay) {
  fake_cupti().fails["SassMetricsEnable"] = CUPTI_ERROR_NOT_SUPPORTED;
  for (int i = 0; i < 3; ++i) launch(call());
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 1);
  EXPECT_EQ(list_.count(LaunchFate::kCounted), 2);
  EXPECT_EQ(fake_cupti().count("SassMetricsEnable"), 1);
  EXPECT_THAT(list_.notes, ElementsAre(HasSubstr("Single instructions")));
}

TEST_F(Launching, ADeviceThatCannotBeMeasuredIsNotedOnce) {
  fake_cupti().fails["ProfilerInitialize"] = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  launch(call());
  launch(call("_Z3subPf"));
  EXPECT_EQ(list_.notes.size(), 1U);
  EXPECT_EQ(list_.count(LaunchFate::kSkipped), 2);
}

TEST_F(Launching, AContextThatGoesTakesItsCounters) {
  launch(call());
  EXPECT_EQ(fake_cupti().count("RangeProfilerEnable"), 1);
  profiler_->context_goes(context(0x99));
  EXPECT_EQ(fake_cupti().count("RangeProfilerDisable"), 0);
  profiler_->context_goes(context(0x10));
  EXPECT_EQ(fake_cupti().count("RangeProfilerDisable"), 1);
  launch(call("_Z3subPf"));  // a new context at the same address
  EXPECT_EQ(fake_cupti().count("RangeProfilerEnable"), 2);
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 2);
}

TEST_F(Launching, AContextThatGoesTakesItsInstructionCounts) {
  launch(call());
  launch(call());
  profiler_->context_goes(context(0x99));
  EXPECT_EQ(fake_cupti().count("SassMetricsUnsetConfig"), 0);
  profiler_->context_goes(context(0x10));
  EXPECT_EQ(fake_cupti().count("SassMetricsUnsetConfig"), 1);
  launch(call("_Z3subPf"));
  launch(call("_Z3subPf"));
  EXPECT_EQ(fake_cupti().count("SassMetricsEnable"), 2);
  EXPECT_TRUE(list_.notes.empty());
}

TEST_F(Launching, AContextThatGoesDuringALaunchIsForgotten) {
  launch(call());
  {
    const auto other = profiler_->enter_other();
    profiler_->context_goes(context(0x10));
  }
  EXPECT_EQ(fake_cupti().count("RangeProfilerDisable"), 0);
  launch(call("_Z3subPf"));
  EXPECT_EQ(fake_cupti().count("RangeProfilerEnable"), 2);
}

TEST_F(Launching, AtTheEndOfTheProcessLaunchesAreOnlyCounted) {
  launch(call());
  profiler_->end();
  launch(call());
  launch(call("_Z3subPf"));
  profiler_->context_goes(context(0x10));
  EXPECT_EQ(fake_cupti().count("RangeProfilerStart"), 1);
  EXPECT_EQ(fake_cupti().count("RangeProfilerDisable"), 0);
  EXPECT_THAT(list_.reasons, ElementsAre(HasSubstr("about to end")));
}

TEST_F(Launching, AnotherThreadsCallThatDoesNotReturnIsAReasonForThisLaunchOnly) {
  {
    const auto other = profiler_->enter_other();
    std::thread([this] { launch(call()); }).join();
  }
  EXPECT_THAT(list_.reasons, ElementsAre(HasSubstr("other threads")));
  launch(call());
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 1);
}

TEST_F(Launching, ManyThreadsAreAllAccountedForAndNeverMeasureTogether) {
  constexpr int kThreads = 8;
  constexpr int kLaunches = 300;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([this, t] {
      for (int i = 0; i < kLaunches; ++i) {
        const auto copy = i % 3 == 0 ? profiler_->enter_other() : nullptr;
        if (!copy) launch(call("_Z3addPf", static_cast<unsigned>((i + t) % 20 + 1)));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(list_.count(LaunchFate::kMeasured), 20);
  EXPECT_EQ(list_.count(LaunchFate::kMeasured) + list_.count(LaunchFate::kCounted) +
                list_.count(LaunchFate::kSkipped),
            kThreads * kLaunches * 2 / 3);
  // Start and stop alternate: no measurement began inside another.
  int open = 0;
  for (const std::string& name : fake_cupti().calls) {
    if (name == "RangeProfilerStart" || name == "SassMetricsEnable") {
      EXPECT_EQ(++open, 1);
    } else if (name == "RangeProfilerStop" || name == "SassMetricsDisable") {
      EXPECT_EQ(--open, 0);
    }
  }
}

}  // namespace
}  // namespace gpuprobe::cupti
