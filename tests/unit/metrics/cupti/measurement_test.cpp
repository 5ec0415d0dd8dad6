// A whole measurement over a fake driver and a fake CUPTI: what is run in which order, what is restored, what
// is reported when something fails.
#include "metrics/cupti/measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "metrics/cupti/timing.h"
#include "unit/metrics/cupti/fake_cupti.h"
#include "unit/metrics/cupti/fake_driver.h"

namespace gpuprobe::cupti {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kCount = 1000;

class Measuring : public testing::Test {
 protected:
  Measuring() : driver_(make_fake_driver()), cupti_(make_fake_cupti()) {
    std::promise<Result<const CuptiApi*>> loaded;
    loaded.set_value(&cupti_);
    gpu_ = std::move(*Gpu::open(driver_, loaded.get_future(), 0, fake_compile));
    kernel_.name = "add_one";
    kernel_.source = {"transpose/kernel.cu", ""};
    Buffer in;
    in.name = "in";
    in.count = kCount;
    in.init.kind = BufferInit::Kind::kIota;
    Buffer out = in;
    out.name = "out";
    out.init.kind = BufferInit::Kind::kZeros;
    kernel_.buffers = {in, out};
    Launch launch;
    launch.grid = {4, 1, 1};
    launch.block = {256, 1, 1};
    kernel_.steps = {{"add_one", launch, {BufferRef{0}, BufferRef{1}}}};
    ResultCheck check;
    check.buffer = 1;
    check.expected = [](const HostBuffers& initial, std::uint64_t i) { return initial.element(0, i) + 1; };
    kernel_.checks = {check};
    compiled_.arch = "sm_90";
    compiled_.compiler = "NVRTC 13.0";
    compiled_.cubin = {1, 2, 3};
    FunctionResources resources;
    resources.name_expression = resources.lowered_name = "add_one";
    resources.parameter_bytes = {8, 8};
    compiled_.functions = {resources};
    // out += in + 1: right only if `out` is zero at the start of every run.
    fake_driver().kernel = [](void** args) {
      const auto* source = reinterpret_cast<const float*>(*static_cast<CUdeviceptr*>(args[0]));
      auto* target = reinterpret_cast<float*>(*static_cast<CUdeviceptr*>(args[1]));
      for (std::uint64_t i = 0; i < kCount; ++i) target[i] += source[i] + 1;
    };
    fake_cupti().instructions = {{"add_one", 0x20, "smsp__sass_thread_inst_executed_pred_on", 1024},
                                 {"add_one", 0x20, "smsp__sass_inst_executed_op_global_ld", 32},
                                 {"add_one", 0x20, "smsp__sass_sectors_mem_global", 128},
                                 {"add_one", 0x20, "smsp__sass_sectors_mem_global_ideal", 128}};
  }

  Result<gpuprobe::Run> run(CollectOptions options = {}) {
    return measure(*gpu_, kernel_, compiled_, options);
  }

  DriverApi driver_;
  CuptiApi cupti_;
  std::unique_ptr<Gpu> gpu_;
  Kernel kernel_;
  CompiledKernel compiled_;
};

TEST_F(Measuring, RunsThePassesTheTimingAndTheInstructionCounts) {
  auto result = run();
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->check.state, CheckOutcome::State::kPassed) << result->check.text;
  EXPECT_EQ(result->check.text.find("differs"), std::string::npos);
  const CollectOptions defaults;
  // Two runs for the result, one a pass, the timed ones, and the counted one.
  EXPECT_EQ(fake_driver().count("LaunchKernelEx"), 2 + 3 + defaults.warmup + defaults.repeat + 1);
  EXPECT_EQ(fake_cupti().count("RangeProfilerPushRange"), 3);
  EXPECT_EQ(result->timing->repeats, defaults.repeat);
  EXPECT_EQ(result->counters.number("occupancy.blocks_per_sm.driver"), 7);
  EXPECT_EQ(result->environment.compiler, "NVRTC 13.0");
  EXPECT_EQ(result->resources.size(), 1U);
  ASSERT_EQ(result->sites.size(), 1U);
  EXPECT_EQ(result->sites[0].file, "transpose/kernel.cu");
  EXPECT_EQ(result->sites[0].line, 3);
  EXPECT_EQ(result->counters.number("global.load.ideal_sectors"), 128);
  for (const MetricRow& row : metric_catalog()) {
    if (row.kind != MetricRow::Kind::kCounter && row.kind != MetricRow::Kind::kSite) continue;
    EXPECT_NE(result->counters.find(row.name), nullptr) << row.name;
  }
}

TEST_F(Measuring, WithoutCountersOnlyTheTimedRunsAreLaunchedAndCuptiIsNotAsked) {
  gpu_.reset();
  fake_cupti() = {};
  gpu_ = std::move(*Gpu::open_without_counters(driver_, 0));
  CollectOptions options;
  options.warmup = 2;
  options.repeat = 5;
  const auto before = fake_driver().count("LaunchKernelEx");
  auto result = run(options);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(fake_driver().count("LaunchKernelEx") - before, 7);
  EXPECT_EQ(result->check.state, CheckOutcome::State::kPassed) << result->check.text;
  EXPECT_EQ(result->timing->repeats, 5);
  EXPECT_EQ(fake_cupti().count("RangeProfilerPushRange"), 0);
  EXPECT_EQ(fake_cupti().count("ProfilerInitialize"), 0);
  EXPECT_THAT(result->counters.missing_reason("global.load.sectors"), HasSubstr("--counters off"));
  EXPECT_TRUE(result->counters.number("time.duration"));
}

TEST_F(Measuring, WithoutCountersASingleRunIsCheckedToo) {
  gpu_ = std::move(*Gpu::open_without_counters(driver_, 0));
  CollectOptions options;
  options.warmup = 0;
  options.repeat = 1;
  const auto before = fake_driver().count("LaunchKernelEx");
  auto result = run(options);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(fake_driver().count("LaunchKernelEx") - before, 1);
  EXPECT_EQ(result->check.state, CheckOutcome::State::kPassed) << result->check.text;
  fake_driver().kernel = [](void**) {};
  result = run(options);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->check.state, CheckOutcome::State::kFailed);
}

TEST_F(Measuring, ValuesAreTakenByName) {
  fake_cupti().values["dram__bytes_read.sum"] = 4096;
  fake_cupti().values["smsp__issue_active.avg.pct_of_peak_sustained_active"] = 12.5;
  auto result = run();
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->counters.number("dram.read_bytes"), 4096);
  EXPECT_EQ(result->counters.number("issue.utilization"), 12.5);
  EXPECT_EQ(result->counters.value("dram.read_bytes")->counters.front(), "dram__bytes_read.sum");
}

TEST_F(Measuring, ANumberThatCuptiDoesNotGiveIsMissing) {
  fake_cupti().values["dram__bytes_read.sum"] = std::numeric_limits<double>::quiet_NaN();
  auto result = run();
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_THAT(result->counters.missing_reason("dram.read_bytes"), HasSubstr("gave no number"));
}

TEST_F(Measuring, ACounterThatThisCuptiLacksIsMissingAndMovesNoOther) {
  fake_cupti().absent = {"dram__bytes_read.sum"};
  fake_cupti().values["dram__bytes_write.sum"] = 8192;
  std::promise<Result<const CuptiApi*>> loaded;
  loaded.set_value(&cupti_);
  gpu_ = std::move(*Gpu::open(driver_, loaded.get_future(), 0, fake_compile));
  auto result = run();
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_THAT(result->counters.missing_reason("dram.read_bytes"),
              HasSubstr("does not have dram__bytes_read.sum"));
  EXPECT_EQ(result->counters.number("dram.write_bytes"), 8192);
}

TEST_F(Measuring, AWrongResultIsFound) {
  fake_driver().kernel = [](void**) {};
  auto result = run();
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->check.state, CheckOutcome::State::kFailed);
}

TEST_F(Measuring, ResultsThatVaryAreSaid) {
  kernel_.checks.clear();
  fake_driver().kernel = [n = 0.0F](void** args) mutable {
    reinterpret_cast<float*>(*static_cast<CUdeviceptr*>(args[1]))[17] = ++n;
  };
  auto result = run();
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_THAT(result->check.text, HasSubstr("buffer 'out' differs in"));
}

TEST_F(Measuring, OnlyChangedBuffersAreReadBack) {
  ASSERT_TRUE(run());
  // The digests before, after the first and after the second run, and the buffer that changed.
  EXPECT_EQ(fake_driver().count("MemcpyDtoH"), 3 + 1);
}

TEST_F(Measuring, ADigestKernelThatCannotBeCompiledIsAnError) {
  std::promise<Result<const CuptiApi*>> loaded;
  loaded.set_value(&cupti_);
  gpu_ = std::move(*Gpu::open(driver_, loaded.get_future(), 0, [](const Kernel&, std::string_view) {
    return Result<CompiledKernel>(fail(ErrorCode::kMachine, "there is no NVRTC", "install it"));
  }));
  auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "there is no NVRTC");
  EXPECT_EQ(fake_driver().live_allocations, 0);
}

TEST_F(Measuring, WithoutInstructionCountsTheRestIsStillThere) {
  fake_cupti().instructions.clear();
  auto result = run();
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_TRUE(result->sites.empty());
  EXPECT_THAT(result->counters.missing_reason("shared.load.wavefronts"), HasSubstr("single instructions"));
  EXPECT_TRUE(result->counters.number("global.load.requests"));
  EXPECT_EQ(result->notes.size(), 1U);
}

TEST_F(Measuring, AKernelThatDoesNotEndLosesTheGpuAndFreesNothing) {
  fake_driver().never_done = true;
  int freed_before = -1;
  fake_driver().kernel = [&](void**) { freed_before = fake_driver().count("MemFree"); };
  CollectOptions options;
  options.timeout_s = 0.01;
  auto result = run(options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kKernel);
  EXPECT_THAT(result.error().what, HasSubstr("did not end within 0.01 s"));
  EXPECT_EQ(fake_driver().count("MemFree"), freed_before);
  EXPECT_EQ(fake_driver().count("ModuleUnload"), 0);
  fake_driver().never_done = false;
  auto next = run();
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::kMachine);
  EXPECT_THAT(next.error().what, HasSubstr("cannot be used any more"));
  gpu_.reset();
  EXPECT_EQ(fake_driver().count("CtxDestroy"), 0);
  EXPECT_EQ(fake_cupti().count("RangeProfilerDisable"), 0);
}

TEST_F(Measuring, ARefusedLaunchFreesEverythingAndKeepsTheGpu) {
  fake_driver().fails["LaunchKernelEx"] = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kKernel);
  EXPECT_THAT(result.error().what, HasSubstr("launching add_one (grid 4x1x1, block 256x1x1"));
  EXPECT_EQ(fake_driver().live_allocations, 0);
  fake_driver().fails.clear();
  EXPECT_TRUE(run());
}

TEST_F(Measuring, OutOfMemoryNamesTheBuffer) {
  fake_driver().fails["MemAlloc"] = CUDA_ERROR_OUT_OF_MEMORY;
  auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kMachine);
  EXPECT_THAT(result.error().what, HasSubstr("4000 bytes for buffer 'in'"));
}

TEST_F(Measuring, ArgumentsMustFitTheParameters) {
  compiled_.functions[0].parameter_bytes = {8, 8, 4};
  auto few = run();
  ASSERT_FALSE(few);
  EXPECT_THAT(few.error().what, HasSubstr("takes 3 parameters, but 2 arguments"));
  compiled_.functions[0].parameter_bytes = {8, 4};
  auto wide = run();
  ASSERT_FALSE(wide);
  EXPECT_THAT(wide.error().what, HasSubstr("Argument 2 of kernel 'add_one' has 8 bytes, its parameter 4"));
  kernel_.steps[0].entry = "other";
  auto unknown = run();
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what, HasSubstr("no kernel 'other'"));
}

TEST_F(Measuring, PassesOnClustersAndDynamicSharedMemory) {
  kernel_.steps[0].launch.cluster = {2, 1, 1};
  kernel_.steps[0].launch.dynamic_shared = 100000;
  ASSERT_TRUE(run());
  EXPECT_EQ(fake_driver().last_launch.sharedMemBytes, 100000U);
  EXPECT_EQ(fake_driver().last_attribute.id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(fake_driver().last_attribute.value.clusterDim.x, 2U);
  EXPECT_EQ(fake_driver().function_attributes.at(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 100000);
}

TEST_F(Measuring, MorePassesThanPlannedIsADefectNotALoop) {
  fake_cupti().submitted_after = 1000;
  auto result = run();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kDefect);
}

TEST_F(Measuring, ADroppedRangeIsAnError) {
  fake_cupti().dropped = 1;
  auto result = run();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("dropped"));
}

TEST_F(Measuring, CountersThatCannotStartAreAnError) {
  fake_cupti().fails["RangeProfilerStart"] = CUPTI_ERROR_HARDWARE_BUSY;
  auto result = run();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("in use by another profiler"));
}

TEST_F(Measuring, FlushesTheCacheOnlyWhenAsked) {
  ASSERT_TRUE(run());
  const int without = fake_driver().count("MemsetD8Async");
  fake_driver().calls.clear();
  CollectOptions cold;
  cold.cold_cache = true;
  ASSERT_TRUE(run(cold));
  EXPECT_GT(fake_driver().count("MemsetD8Async"), without);
}

TEST_F(Measuring, AnEmptyBufferIsNoTrouble) {
  Buffer empty;
  empty.name = "empty";
  kernel_.buffers.push_back(empty);
  EXPECT_TRUE(run());
}

TEST(TimingOf, TakesMedianAndExtremes) {
  const Timing odd = timing_of({3, 1, 2});
  EXPECT_EQ(odd.median_s, 2);
  EXPECT_EQ(odd.min_s, 1);
  EXPECT_EQ(odd.max_s, 3);
  EXPECT_EQ(odd.repeats, 3);
  EXPECT_EQ(timing_of({4, 1, 2, 3}).median_s, 2.5);
  EXPECT_EQ(timing_of({5}).median_s, 5);
}

}  // namespace
}  // namespace gpuprobe::cupti
