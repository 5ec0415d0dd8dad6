#include "compile/cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/compile/compiled.h"

namespace gpuprobe::compile {
namespace {

using testing::ElementsAre;

const CompileOptions kFresh{.use_cache = false};

FunctionResources only(const Result<CompiledKernel>& compiled) {
  EXPECT_TRUE(compiled.has_value()) << compiled.error().what;
  if (!compiled) return {};
  EXPECT_EQ(compiled->functions.size(), 1u);
  return compiled->functions.front();
}

class CubinFacts : public testing::TestWithParam<const char*> {};

TEST_P(CubinFacts, SharedMemoryIsWhatWasDeclared) {
  // 320 + 4 x 8 bytes; dynamic shared memory is not in it.
  const auto compiled = compile(kernel_of(R"(
    extern __shared__ float dynamic_part[];
    __global__ void f(float* p, int n) {
      __shared__ float a[80];
      __shared__ int b[8];
      a[threadIdx.x] = p[n]; b[threadIdx.x % 8] = n; dynamic_part[threadIdx.x] = n;
      __syncthreads();
      p[0] = a[n] + b[n % 8] + dynamic_part[n];
    })",
                                          {"f"}),
                                GetParam(), kFresh);
  EXPECT_EQ(only(compiled).shared_static, 352u);
  EXPECT_EQ(only(compiled).barriers, 1);
}

TEST_P(CubinFacts, AKernelWithoutSharedMemoryOrBarriersHasNone) {
  const auto& f =
      only(compile(kernel_of("__global__ void f(float* p) { *p = 1; }", {"f"}), GetParam(), kFresh));
  EXPECT_EQ(f.shared_static, 0u);
  EXPECT_EQ(f.barriers, 0);
  EXPECT_EQ(f.local_bytes, 0u);
  EXPECT_EQ(f.max_threads, 0);
  EXPECT_GT(f.registers, 0);
}

TEST_P(CubinFacts, NamedBarriersCountUpToTheHighest) {
  const FunctionResources f = only(
      compile(kernel_of("__global__ void f() { __syncthreads(); asm volatile(\"bar.sync 3, 64;\"); }", {"f"}),
              GetParam(), kFresh));
  EXPECT_EQ(f.barriers, 4);  // 0 to 3
}

TEST_P(CubinFacts, LocalArraysAreOnTheStack) {
  const FunctionResources f = only(compile(kernel_of(R"(__global__ void f(float* p, int n) {
      float a[40];
      for (int i = 0; i < 40; ++i) a[(i * n) % 40] = p[i];
      p[0] = a[n];
    })",
                                                     {"f"}),
                                           GetParam(), kFresh));
  EXPECT_EQ(f.local_bytes, 160u);
}

TEST_P(CubinFacts, BlockLimitsAndParameters) {
  const FunctionResources f = only(compile(kernel_of(R"(struct B { char c[20]; };
    extern "C" __global__ void __launch_bounds__(192) f(float* p, const float* q, int n, B b, char c, double d) {
      p[n] = q[n] + b.c[3] + c + d;
    })",
                                                     {"f"}),
                                           GetParam(), kFresh));
  EXPECT_EQ(f.max_threads, 192);
  EXPECT_THAT(f.parameter_bytes, ElementsAre(8, 8, 4, 20, 1, 8));
  EXPECT_EQ(f.lowered_name, "f");
}

TEST_P(CubinFacts, ARegisterLimitIsKept) {
  // Each of the sixty-four values depends on the sum of all, so all are live at once. Forced into 32
  // registers, they spill to local memory.
  Kernel kernel = kernel_of(R"(__global__ void f(float* p) {
      p += threadIdx.x;
      float a[64];
      for (int i = 0; i < 64; ++i) a[i] = p[i];
      for (int r = 0; r < 9; ++r) {
        float sum = 0;
        for (int i = 0; i < 64; ++i) sum += a[i];
        for (int i = 0; i < 64; ++i) a[i] = a[i] * sum + 1;
      }
      for (int i = 0; i < 64; ++i) p[i] = a[i];
    })",
                            {"f"});
  const int free_choice = only(compile(kernel, GetParam(), kFresh)).registers;
  EXPECT_GT(free_choice, 64);
  kernel.compile_options = {"--maxrregcount=32"};
  const auto forced = compile(kernel, GetParam(), kFresh);
  EXPECT_LE(only(forced).registers, 32);
  EXPECT_GT(only(forced).local_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Architectures, CubinFacts, testing::Values("sm_75", "sm_80", "sm_90", "sm_120"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Cubin, LargeParametersHaveTheSecondRecordFormat) {
  const FunctionResources f =
      only(compile(kernel_of("struct B { char c[20000]; };\n"
                             "__global__ void f(float* p, const B b, int n) { *p = b.c[n]; }",
                             {"f"}),
                   "sm_90", kFresh));
  EXPECT_THAT(f.parameter_bytes, ElementsAre(8, 20000, 4));
}

std::vector<std::uint8_t> good_cubin() {
  return compile(kernel_of(
                     "__global__ void f(float* p, int n) { __shared__ float a[9]; a[n] = *p; __syncthreads();"
                     " *p = a[0]; }\n__global__ void g(int* p) { *p = 1; }",
                     {"f", "g"}),
                 "sm_90", kFresh)
      ->cubin;
}

TEST(Cubin, RefusesWhatIsNoCubin) {
  EXPECT_FALSE(read_cubin({}).has_value());
  const std::string text = "\177ELF and then nothing of the kind";
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  const auto result = read_cubin(bytes);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kMachine);
}

TEST(Cubin, NeverReadsPastATruncatedFile) {
  const std::vector<std::uint8_t> good = good_cubin();
  ASSERT_EQ(read_cubin(good)->size(), 2u);
  for (std::size_t length = 0; length < good.size(); length += 37) {
    // A copy of exactly this length, so that a sanitizer sees one byte too many.
    const std::vector<std::uint8_t> part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    // Only the program headers, which nothing here reads, come after the section headers.
    const auto result = read_cubin(part);
    EXPECT_TRUE(!result || length > good.size() - 1000) << length;
  }
}

TEST(Cubin, SurvivesAnyDamage) {
  const std::vector<std::uint8_t> good = good_cubin();
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> bad = good;
    for (int i = 0; i < 1 + round % 20; ++i) bad[random() % bad.size()] = static_cast<std::uint8_t>(random());
    // The header and the section table decide most: hit them more often than chance would.
    if (round % 2 == 0) bad[random() % 64] = static_cast<std::uint8_t>(random());
    const auto result = read_cubin(bad);
    refused += result ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace gpuprobe::compile
