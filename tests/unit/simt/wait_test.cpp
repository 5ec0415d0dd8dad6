// Blocks that wait for other blocks: thousands of them cost little, whichever end of the chain is free.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "unit/simt/bench_kernel.h"

namespace gpuprobe::simt {
namespace {

/// Block b polls word b + `partner` of the first buffer until it is not zero, then adds it to word b of the
/// second one and raises word b of the first. Word -1 does not exist: buffers have a word in front and one
/// behind.
std::string chain(int partner, const std::string& load) {
  return kernel(
      "mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd6, %r2, 4;\n"
      "add.s64 %rd7, %rd1, %rd6; add.s64 %rd8, %rd2, %rd6;\n"
      "$again: " +
      load + "[%rd7+" + std::to_string(4 + 4 * partner) +
      "];\n"
      "setp.eq.s32 %p1, %r3, 0; @%p1 bra $again;\n"
      "st.global.u32 [%rd8+4], %r3; add.s32 %r4, %r3, 1; st.volatile.global.u32 [%rd7+4], %r4;");
}

constexpr std::uint32_t kBlocks = 3000;

struct Chain {
  const char* name;
  int partner;
  int threads;
};

class WaitingBlocks : public testing::TestWithParam<Chain> {};

TEST_P(WaitingBlocks, CostLittleWhileTheyWait) {
  const auto [name, partner, threads] = GetParam();
  Bench bench(chain(partner, "ld.volatile.global.u32 %r3, "));
  std::vector<std::uint32_t> flags(kBlocks + 2, 0);
  (partner < 0 ? flags.front() : flags.back()) = 1;
  bench.buffer<std::uint32_t>("flags", flags);
  const auto out = bench.buffer<std::uint32_t>("out", std::vector<std::uint32_t>(kBlocks + 2, 0));
  bench.threads = threads;
  const Outcome outcome = bench.run(launch_of(kBlocks, 1));
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.blocks, kBlocks);
  const auto values = bench.values<std::uint32_t>(out);
  for (std::uint32_t b = 1; b <= kBlocks; ++b)
    ASSERT_EQ(values[b], partner < 0 ? b : kBlocks + 1 - b) << "block " << b - 1;
  // The first look at a loop comes after 1024 turns of it. Running every waiting block again whenever one has
  // ended would take 3000 x 3000 / 2 runs.
  EXPECT_LT(outcome.warp_instructions, std::uint64_t{kBlocks} * 8 * 1024);
}

INSTANTIATE_TEST_SUITE_P(Chains, WaitingBlocks,
                         testing::Values(Chain{"next", 1, 1}, Chain{"next_two_workers", 1, 2},
                                         Chain{"previous", -1, 1}, Chain{"previous_two_workers", -1, 2}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(WaitingBlock, IsWokenByEachKindOfRead) {
  for (const char* load : {"ld.volatile.global.u32 %r3, ", "ld.acquire.gpu.global.u32 %r3, ",
                           "mov.b32 %r5, 0; atom.global.add.u32 %r3, "}) {
    const bool is_atomic = std::string(load).find("atom") != std::string::npos;
    std::string text = chain(1, load);
    if (is_atomic) text.replace(text.find("+8];"), 4, "+8], %r5;");
    Bench bench(text);
    std::vector<std::uint32_t> flags(12, 0);
    flags.back() = 1;
    bench.buffer<std::uint32_t>("flags", flags);
    const auto out = bench.buffer<std::uint32_t>("out", std::vector<std::uint32_t>(12, 0));
    const Outcome outcome = bench.run(launch_of(10, 1));
    EXPECT_EQ(outcome.blocks, 10u) << load;
    EXPECT_EQ(bench.values<std::uint32_t>(out)[1], 10u) << load;
  }
}

TEST(WaitingBlock, ThatNobodyAnswersEndsTheLaunch) {
  Bench bench(chain(1, "ld.volatile.global.u32 %r3, "));
  bench.buffer<std::uint32_t>("flags", std::vector<std::uint32_t>(kBlocks + 2, 0));
  bench.buffer<std::uint32_t>("out", std::vector<std::uint32_t>(kBlocks + 2, 0));
  const Outcome outcome = bench.run(launch_of(kBlocks, 1));
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.blocks, 0u);
  ASSERT_EQ(outcome.hazards.size(), 1u);
  EXPECT_EQ(outcome.hazards[0].kind, HazardKind::kBlockWait);
  EXPECT_EQ(outcome.hazards[0].count, kBlocks);
}

TEST(StepLimit, EndsALoopThatNeverEnds) {
  Bench bench(kernel("$again: add.s32 %r2, %r2, 1; bra $again;"));
  Execution execution;
  execution.launch = launch_of(2, 64);
  execution.parameters.resize(32);
  execution.threads = 1;
  execution.step_limit = 5000;
  const auto program = bench.load();
  ASSERT_TRUE(program.has_value());
  const auto outcome = execute(**program, bench.memory, execution, {});
  ASSERT_TRUE(outcome.has_value()) << outcome.error().what;
  EXPECT_TRUE(outcome->timed_out);
  EXPECT_GE(outcome->warp_instructions, 5000u);
  EXPECT_LT(outcome->warp_instructions, 5100u);
}

}  // namespace
}  // namespace gpuprobe::simt
