// The pace of one warp: small PTX bodies whose cycles can be counted by hand, and the kernel that was made to
// have one chain or several.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <stdexcept>
#include <string>

#include "model/prediction/issue_pace.h"
#include "model/ptx/parser.h"
#include "unit/model/predict.h"

namespace gpuprobe::prediction {
namespace {

using testing::predict;

/// Cycles of one warp that executes `body`, as the machine tells it, up to its return.
std::uint64_t cycles_of(const std::string& body) {
  const std::string text = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n"
      ".reg .pred %p<9>;\n.reg .f32 %f<40>;\n.reg .f64 %d<9>;\n.reg .b32 %r<40>;\n{}\nret;\n}}\n",
      body);
  const auto module = ptx::parse(text);
  if (!module) throw std::runtime_error(module.error().what);
  simt::DeviceMemory memory;
  const auto program = simt::Program::load(*module, "k", memory);
  if (!program) throw std::runtime_error(program.error().what);
  const IssuePlan plan = plan_issue(*module, **program);

  struct Follower final : simt::Observer {
    explicit Follower(const IssuePlan& plan) : pace(plan, 1) {}
    void begin_block(std::uint64_t, std::uint32_t) override {}
    void access(const simt::MemoryAccess&) override {}
    void barrier(std::uint64_t, int, const std::vector<bool>&) override {}
    void warp_sync(std::uint64_t, int, std::uint32_t) override {}
    void end_block(std::uint64_t) override {}
    bool follows(std::uint64_t) const override { return true; }
    bool issue(int warp, int instruction) override { return pace.issue(warp, instruction); }
    IssuePace pace;
  } follower(plan);
  simt::Execution execution;
  execution.launch = {{1, 1, 1}, {32, 1, 1}, 0, {}};
  std::array<simt::Observer*, 1> observers{&follower};
  const auto outcome = simt::execute(**program, memory, execution, observers);
  if (!outcome) throw std::runtime_error(outcome.error().what);
  EXPECT_EQ(follower.pace.instructions(), outcome->warp_instructions);
  return follower.pace.cycles();
}

TEST(IssuePace, WhatDependsWaitsForTheLatencyOfItsProducer) {
  // Issued in cycles 0, 4, 8; the return issues behind the last.
  EXPECT_EQ(cycles_of("add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;"), 10u);
  EXPECT_EQ(cycles_of("add.f64 %d1, %d1, %d1;\nadd.f64 %d1, %d1, %d1;"), 10u);
  EXPECT_EQ(cycles_of("ex2.approx.f32 %f1, %f1;\nex2.approx.f32 %f1, %f1;"), 16u);
}

TEST(IssuePace, WhatDoesNotDependIssuesEveryCycle) {
  EXPECT_EQ(cycles_of("add.f32 %f1, %f9, %f9;\nadd.f32 %f2, %f9, %f9;\nadd.f32 %f3, %f9, %f9;"), 4u);
}

TEST(IssuePace, TheAssemblerPutsIndependentInstructionsBetweenDependentOnes) {
  // Two chains, one written behind the other: cycles 0, 4, 8 and 1, 5, 9.
  const std::string one = "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n";
  const std::string other = "add.f32 %f2, %f2, %f2;\nadd.f32 %f2, %f2, %f2;\nadd.f32 %f2, %f2, %f2;\n";
  EXPECT_EQ(cycles_of(one + other), 11u);
  // Not across a barrier: 0, 4, 8; the barrier in 9; 10, 14, 18.
  EXPECT_EQ(cycles_of(one + "bar.sync 0;\n" + other), 20u);
}

TEST(IssuePace, CopiesAndParametersAreReadInPlace) {
  EXPECT_EQ(cycles_of("add.f32 %f1, %f1, %f1;\nmov.f32 %f2, %f1;\nadd.f32 %f3, %f2, %f2;"), 6u);
}

TEST(IssuePace, AChainGoesOnThroughTheIterationsOfALoop) {
  const auto loop = [](int rounds) {
    return cycles_of(
        fmt::format("mov.u32 %r1, 0;\nL:\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                    "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, {};\n@%p1 bra L;",
                    rounds));
  };
  // Two dependent additions an iteration, the branch behind its condition (1 + 4 + 4 cycles).
  EXPECT_EQ(loop(101) - loop(100), 10u);
}

TEST(IssuePace, PredicatesAndAddressesAreWaitedFor) {
  EXPECT_EQ(cycles_of("setp.eq.u32 %p1, %r1, %r1;\n@%p1 add.f32 %f1, %f1, %f1;"), 6u);
}

TEST(IssuePace, OfAKernelWithOneChainIsThatOfTheChain) {
  const auto pace = [](const std::string& options) {
    const auto run = predict("pressure", options + " --blocks 4 --rounds 8");
    EXPECT_TRUE(run.has_value()) << run.error().what;
    const Value* value = run->counters.value("issue.cycles_per_instruction");
    EXPECT_NE(value, nullptr);
    EXPECT_EQ(value->unit, Unit::kCycle);
    EXPECT_EQ(value->origin, Origin::kPredicted);
    return std::get<double>(value->value);
  };
  const double one = pace("--regs 255");
  const double two = pace("--regs 255 --ilp 2");
  const double four = pace("--regs 255 --ilp 4");
  EXPECT_GT(one, 3.0);
  EXPECT_LE(one, 4.0);
  EXPECT_NEAR(two / one, 0.5, 0.1);
  EXPECT_GE(four, 1.0);
  EXPECT_LT(four, 1.2);
}

TEST(IssuePace, IsTheSameHoweverManyThreadsPredict) {
  std::set<double> paces;
  for (const int threads : {1, 3}) {
    CollectOptions options;
    options.threads = threads;
    options.exact = true;
    const auto run = predict("matmul", "--tile 16 -n 64", options);
    ASSERT_TRUE(run.has_value()) << run.error().what;
    paces.insert(*run->counters.number("issue.cycles_per_instruction"));
  }
  EXPECT_EQ(paces.size(), 1u);
}

}  // namespace
}  // namespace gpuprobe::prediction
