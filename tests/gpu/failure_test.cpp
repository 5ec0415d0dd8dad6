// Kernels that fault or never end. Each runs in a process of its own, for CUDA refuses everything after a
// fault.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>

#include "gpu_fixture.h"

namespace gpuprobe::gpu_test {
namespace {

constexpr int kLostAsExpected = 40;

Kernel one_thread(const std::string& name, const std::string& text) {
  Kernel kernel;
  kernel.name = name;
  kernel.source = {name + ".cu", text};
  kernel.buffers = {f32_buffer("flag", 64, BufferInit::Kind::kZeros)};
  kernel.steps = {{name, Launch{}, {BufferRef{0}}}};
  return kernel;
}

/// Measures `kernel`, prints its error, tries another one, and exits with kLostAsExpected if that is refused.
void fail_and_exit(const Kernel& kernel) {
  CollectOptions options;
  options.timeout_s = 0.5;
  auto run = measure(kernel, options);
  if (run || run.error().code != ErrorCode::kKernel) std::exit(1);
  std::fputs(run.error().what.c_str(), stderr);
  auto next = measure(one_thread("fine", "extern \"C\" __global__ void fine(float* f) { *f = 1; }"));
  std::exit(!next && next.error().code == ErrorCode::kMachine ? kLostAsExpected : 2);
}

class OnGpuAlone : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, which has not touched CUDA
    const Status usable = CuptiSource::probe(0);
    if (usable) return;
    if (std::getenv("GPUPROBE_REQUIRE_GPU")) FAIL() << usable.error().what;
    GTEST_SKIP() << usable.error().what;
  }
};

using OnGpuAloneDeathTest = OnGpuAlone;

TEST_F(OnGpuAloneDeathTest, AKernelThatNeverEndsIsReportedAndDoesNotHoldTheProcessUp) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EXIT(fail_and_exit(one_thread("spin",
                                       "extern \"C\" __global__ void spin(volatile float* f) {"
                                       " while (*f == 0) {} }")),
              testing::ExitedWithCode(kLostAsExpected), "did not end within 0.5 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(OnGpuAloneDeathTest, AKernelThatFaultsIsReported) {
  EXPECT_EXIT(fail_and_exit(one_thread("fault",
                                       "extern \"C\" __global__ void fault(float* f) {"
                                       " *(float*)16 = *f; }")),
              testing::ExitedWithCode(kLostAsExpected), "CUDA_ERROR_ILLEGAL_ADDRESS");
}

}  // namespace
}  // namespace gpuprobe::gpu_test
