// Every variant computes what its reference says, at sizes where bounds and remainders matter: one element,
// one more or less than a tile, rectangles.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/kernels/execute.h"
#include "unit/kernels/families.h"

namespace gpuprobe {
namespace {

struct Example {
  const char* family;
  const char* options;
};

const Example kExamples[] = {
    {"matmul", "-n 1"},
    {"matmul", "-n 33 -m 7 -k 50"},
    {"matmul", "-n 40 -m 65 -k 3 --block 16,4"},
    {"matmul", "-n 33 -m 7 -k 50 --order swapped"},
    {"matmul", "-n 40 -m 65 -k 3 --order swapped --block 8,8"},
    {"matmul", "-n 1 --tile 32"},
    {"matmul", "-n 31 -m 33 -k 65 --tile 32"},
    {"matmul", "-n 31 -m 33 -k 65 --tile 16 --dynamic"},
    {"matmul", "-n 31 -m 33 -k 65 --tile 16 --dynamic --stage-transposed --pad 3"},
    {"matmul", "-n 20 -m 5 -k 9 --tile 7 --stage-transposed"},
    {"matmul", "-n 20 -m 5 -k 9 --tile 7 --pad"},
    {"matmul", "-n 3 -m 5 -k 9 --tile 1"},
    {"transpose", "--variant naive-write -n 1"},
    {"transpose", "--variant naive-write --rows 33 --columns 70 --block 16,16"},
    {"transpose", "--variant naive-read --rows 33 --columns 70"},
    {"transpose", "-n 1"},
    {"transpose", "--rows 33 --columns 70"},
    {"transpose", "--rows 70 --columns 33 --pad --type u8"},
    {"transpose", "--rows 70 --columns 33 --pad 2 --type f16 --block 32,8"},
    {"transpose", "--rows 65 --columns 1 --swizzle --type f64"},
    {"transpose", "--rows 65 --columns 64 --swizzle --tile 64 --block 32,8"},
    {"transpose", "--rows 65 --columns 64 --tile 20 --block 7,3"},
    {"transpose", "--rows 9 --columns 11 --tile 1"},
    {"saxpy", "-n 1"},
    {"saxpy", "-n 1000 --alpha -3.75"},
    {"saxpy", "-n 1003 --vector 4"},
    {"saxpy", "-n 3 --vector 4"},
    {"saxpy", "-n 1001 --vector 2 --type f64"},
    {"saxpy", "-n 1003 --vector 4 --type f16 --alpha 100"},
    {"saxpy", "-n 77 --type f16 --block 33"},
    {"copy", "-n 1 --offset 5"},
    {"copy", "-n 1000 --offset 3 --stride 7 --type u8"},
    {"copy", "-n 1000 --stride 7 --type f64"},
    {"copy", "-n 999 --offset 1 --type f16"},
    {"stride", "-n 1 --blocks 2"},
    {"stride", "-n 10007 --blocks 3 --stride 5"},
    {"stride", "-n 10007 --blocks 3 --block 64"},
    {"rowsum", "--rows 1 --columns 1"},
    {"rowsum", "--rows 300 --columns 33"},
    {"rowsum", "--rows 5 --columns 1000 --variant block-per-row"},
    {"rowsum", "--rows 5 --columns 3 --variant block-per-row --block 1024"},
    {"rowsum", "--rows 5 --columns 40 --variant block-per-row --block 32"},
    {"rowsum", "--rows 13 --columns 100 --variant warp-per-row"},
    {"reduce", "-n 1 --variant halving"},
    {"reduce", "-n 1000 --variant halving"},
    {"reduce", "-n 1 --variant block-global"},
    {"reduce", "-n 5000 --variant block-global"},
    {"reduce", "-n 5000 --variant block-global --finish second-kernel"},
    {"reduce", "-n 5000"},
    {"reduce", "-n 5000 --finish second-kernel"},
    {"reduce", "-n 5000 --variant interleaved"},
    {"reduce", "-n 1 --variant interleaved --finish second-kernel"},
    {"reduce", "-n 5001 --variant sequential"},
    {"reduce", "-n 5001 --variant shuffle"},
    {"reduce", "-n 300000 --variant shuffle --finish second-kernel"},
    {"invert", "--width 1 --height 1"},
    {"invert", "--width 100 --height 37"},
    {"invert", "--width 37 --height 100 --block 32,8"},
    {"invert", "--width 37 --height 100 --block 5,7"},
    {"pressure", "--blocks 3 --rounds 2"},
    {"pressure", "--blocks 3 --rounds 2 --block 1 --shared 100"},
    {"pressure", "--blocks 2 --rounds 3 --regs 100 --ilp 4 --shared 4096 --dynamic --block 100"},
    {"order", "--blocks 5"},
    {"histogram", "-n 1 --blocks 2"},
    {"histogram", "-n 10007 --blocks 3"},
    {"histogram", "-n 10007 --blocks 3 --shared --block 96"},
    {"histogram", "-n 10007 --blocks 3 --private"},
    {"histogram", "-n 10007 --blocks 3 --private --distinct 1"},
    {"gather", "-n 1"},
    {"gather", "-n 1001"},
    {"gather", "-n 1001 --sorted"},
    {"structs", "-n 1"},
    {"structs", "-n 1001 --bytes 20 --fields all"},
    {"structs", "-n 1001 --bytes 12 --fields all --layout soa"},
    {"structs", "-n 1001 --bytes 32 --layout soa"},
    {"stencil", "--width 1 --height 1"},
    {"stencil", "--width 37 --height 70"},
    {"stencil", "--width 70 --height 37 --halo 8"},
    {"stencil", "--width 70 --height 100 --halo 3 --tile 64"},
    {"banks", "--blocks 2 --reads 3"},
    {"banks", "--blocks 2 --reads 3 --width 1 --active 5"},
    {"banks", "--blocks 2 --reads 3 --width 2 --swizzle"},
    {"banks", "--blocks 2 --reads 3 --width 8 --pattern padded-column"},
    {"banks", "--blocks 2 --reads 3 --width 16 --pattern stride --stride 9"},
    {"banks", "--blocks 2 --reads 3 --pattern broadcast"},
};

class Results : public testing::TestWithParam<Example> {};

TEST_P(Results, AreThoseOfTheReference) {
  const auto kernel = built(GetParam().family, GetParam().options);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().what;
  const auto executed = execute_all(*kernel, "sm_90");
  ASSERT_TRUE(executed.has_value()) << executed.error().what;
  EXPECT_EQ(executed->check.state, CheckOutcome::State::kPassed) << executed->check.text;
  for (const Hazard& hazard : executed->hazards)
    ADD_FAILURE() << to_string(hazard.kind) << ": " << hazard.text;
}

std::string test_name(const testing::TestParamInfo<Example>& instance) {
  std::string name = std::to_string(instance.index) + "_" + instance.param.family;
  for (const char* c = instance.param.options; *c != '\0'; ++c)
    name += std::isalnum(static_cast<unsigned char>(*c)) ? *c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Small, Results, testing::ValuesIn(kExamples), test_name);

/// A block that waits is found as such, and does not hang; whether it is answered depends on the order.
TEST(Results, WaitingBlocksAreFound) {
  for (const char* partner : {"next", "previous"}) {
    const auto kernel = built("order", std::string("--wait --blocks 8 --for ") + partner);
    ASSERT_TRUE(kernel.has_value()) << kernel.error().what;
    const auto executed = execute_all(*kernel, "sm_90");
    ASSERT_TRUE(executed.has_value()) << executed.error().what;
    const bool found =
        std::any_of(executed->hazards.begin(), executed->hazards.end(),
                    [](const Hazard& hazard) { return hazard.kind == HazardKind::kBlockWait; });
    EXPECT_TRUE(found || std::string(partner) == "previous") << partner;
  }
}

/// The checks themselves: a kernel whose element is wrong does not pass.
TEST(Results, AWrongElementIsNoticed) {
  for (const char* family : {"matmul", "transpose", "saxpy", "rowsum"}) {
    const std::string options = std::string(family) == "rowsum" ? "--rows 40 --columns 40" : "-n 40";
    auto kernel = built(family, options);
    ASSERT_TRUE(kernel.has_value());
    const HostBuffers initial = *HostBuffers::initial(*kernel);
    const CheckOutcome outcome = check_result(*kernel, initial, initial, nullptr);  // nothing was calculated
    EXPECT_EQ(outcome.state, CheckOutcome::State::kFailed) << family;
  }
}

TEST(Results, RefusedCombinationsNameTheirOptions) {
  const Example bad[] = {
      {"matmul", "--variant naive --tile 16"},
      {"matmul", "--tile 16 --order swapped"},
      {"matmul", "--block 64,32"},
      {"matmul", "-n 100000 --tile 32"},
      {"transpose", "--variant naive-write --pad"},
      {"transpose", "--swizzle --pad"},
      {"transpose", "--swizzle --tile 20"},
      {"transpose", "--block 64,1"},
      {"transpose", "--tile 64 --pad 64 --type f64"},
      {"saxpy", "--type f64 --vector 4"},
      {"saxpy", "--alpha 1e300"},
      {"rowsum", "--block 100"},
      {"reduce", "--variant halving --finish atomic"},
      {"invert", "--width 1 --height 1000000 --block 1,1"},
      {"order", "--for previous"},
      {"histogram", "--shared --private"},
      {"gather", "--sorted --random"},
      {"banks", "--pitch 33 --swizzle"},
      {"banks", "--pitch 2048"},
  };
  for (const Example& example : bad) {
    const auto kernel = built(example.family, example.options);
    ASSERT_FALSE(kernel.has_value()) << example.family << " " << example.options;
    EXPECT_EQ(kernel.error().code, ErrorCode::kUsage);
    EXPECT_FALSE(kernel.error().hint.empty());
  }
}

}  // namespace
}  // namespace gpuprobe
