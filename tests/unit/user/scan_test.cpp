#include "kernels/user/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/user/launch_case.h"
#include "kernels/user/launch_entry.h"

namespace gpuprobe::user {
namespace {

using ::testing::HasSubstr;

TEST(FindKernels, ReadsNamesParametersAndTemplates) {
  const auto kernels = find_kernels(R"cu(
// __global__ void commented(int);
const char* text = "__global__ void quoted(int)";
template <class T, int kTile>
__global__ void __launch_bounds__(256, 2) tile(const T* __restrict__ in, T *out, int n);
struct S { int a; };
extern "C" __global__ void plain ( float const* x , unsigned long long count, void (*f)(int, int), int )
{ }
__global__ __launch_bounds__(32) void empty() {}
)cu");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "tile");
  EXPECT_TRUE(kernels[0].is_template);
  EXPECT_EQ(kernels[0].line, 5);
  ASSERT_EQ(kernels[0].parameters.size(), 3u);
  EXPECT_EQ(kernels[0].parameters[0].type, "const T*");
  EXPECT_EQ(kernels[0].parameters[0].name, "in");
  EXPECT_EQ(kernels[0].parameters[1].type, "T*");
  EXPECT_EQ(kernels[1].name, "plain");
  EXPECT_FALSE(kernels[1].is_template);
  ASSERT_EQ(kernels[1].parameters.size(), 4u);
  EXPECT_EQ(kernels[1].parameters[1].type, "unsigned long long");
  EXPECT_EQ(kernels[1].parameters[3].type, "int");
  EXPECT_EQ(kernels[1].parameters[3].name, "");
  EXPECT_EQ(kernels[2].name, "empty");
  EXPECT_TRUE(kernels[2].parameters.empty());
}

TEST(FindKernels, SurvivesBrokenSources) {
  for (const char* source : {"__global__", "__global__ void k(", "__global__ void (",
                             "/* __global__ void k()", "\"", "__global__ __launch_bounds__(", "'\\"})
    EXPECT_LE(find_kernels(source).size(), 1u) << source;
}

TEST(FirstEntry, IsAnEntryThatParsesAndExpands) {
  const auto kernels = find_kernels("__global__ void axpy(float a, const float* x, float* y, int n) {}");
  ASSERT_EQ(kernels.size(), 1u);
  const std::string toml = first_entry(kernels[0], "axpy.cu");
  const auto entries = parse_entries(toml, "gpuprobe.toml", 1);
  ASSERT_TRUE(entries) << entries.error().what;
  const auto cases = expand((*entries)[0], Source{"axpy.cu", ""}, ".");
  ASSERT_TRUE(cases) << cases.error().what;
  EXPECT_EQ((*cases)[0].kernel.buffers.size(), 2u);
  EXPECT_EQ((*cases)[0].kernel.buffers[0].init.kind, BufferInit::Kind::kRandom);
  EXPECT_EQ((*cases)[0].kernel.steps[0].args.size(), 4u);
}

}  // namespace
}  // namespace gpuprobe::user
