// `matmul --variant cublas`: a kernel whose only step is a library call, from options to the refusal to
// predict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/devices/devices.h"
#include "model/predicted_source.h"
#include "unit/kernels/families.h"

namespace gpuprobe {
namespace {

using testing::HasSubstr;

TEST(LibraryVariant, IsOneCallOnTheSameData) {
  const auto kernel = built("matmul", "--variant cublas --m 5 --k 7 -n 3");
  ASSERT_TRUE(kernel) << kernel.error().what;
  ASSERT_EQ(kernel->steps.size(), 1U);
  ASSERT_NE(kernel->library_call(), nullptr);
  EXPECT_EQ(kernel->library_call()->entry, "cublasSgemm");
  EXPECT_TRUE(kernel->entries().empty());
  const auto tiled = built("matmul", "--tile 16 --m 5 --k 7 -n 3");
  ASSERT_TRUE(tiled);
  EXPECT_EQ(tiled->library_call(), nullptr);
  ASSERT_EQ(kernel->buffers.size(), tiled->buffers.size());
  for (std::size_t i = 0; i < kernel->buffers.size(); ++i)
    EXPECT_EQ(kernel->buffers[i].count, tiled->buffers[i].count);
  EXPECT_EQ(kernel->useful_flops, tiled->useful_flops);
  EXPECT_EQ(kernel->checks.front().relative_bound, tiled->checks.front().relative_bound);
}

TEST(LibraryVariant, Tf32WidensTheBoundByWhatItsInputsLose) {
  const auto exact = built("matmul", "--variant cublas");
  const auto tf32 = built("matmul", "--variant cublas --tf32");
  ASSERT_TRUE(exact && tf32);
  EXPECT_GT(tf32->checks.front().relative_bound, exact->checks.front().relative_bound + 2 * 0x1p-10);
  EXPECT_LT(tf32->checks.front().relative_bound, 3 * 0x1p-10);
  EXPECT_NE(tf32->checks.front().reference, exact->checks.front().reference);
}

TEST(LibraryVariant, RefusesWhatBelongsToOtherVariants) {
  for (const char* options : {"--tile 8", "--pad", "--dynamic", "--stage-transposed", "--barriers both",
                              "--order natural", "--block 16,16"}) {
    const auto kernel = built("matmul", std::string("--variant cublas ") + options);
    ASSERT_FALSE(kernel) << options;
    EXPECT_EQ(kernel.error().code, ErrorCode::kUsage);
  }
  const auto kernel = built("matmul", "--tf32");
  ASSERT_FALSE(kernel);
  EXPECT_THAT(kernel.error().what, HasSubstr("--variant cublas"));
}

TEST(LibraryVariant, IsNotCompiledAndNotPredicted) {
  const auto kernel = built("matmul", "--variant cublas");
  ASSERT_TRUE(kernel);
  const auto compiled = compile::compile(*kernel, "sm_90");
  ASSERT_TRUE(compiled) << compiled.error().what;
  EXPECT_TRUE(compiled->cubin.empty());
  PredictedSource source(*device_for_arch("sm_90"));
  const auto run = source.collect(*kernel, *compiled, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kMachine);
  EXPECT_THAT(run.error().what, HasSubstr("cublasSgemm cannot be predicted"));
  EXPECT_THAT(run.error().hint, HasSubstr("--source gpu"));
  EXPECT_FALSE(source.execute(*kernel, *compiled, {}));
}

}  // namespace
}  // namespace gpuprobe
