// Branches, loops, exits, calls.
#include <gmock/gmock.h>

#include "bench_kernel.h"

namespace gpuprobe::simt {
namespace {

using testing::HasSubstr;

const std::string kStore = "add.s64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r2;";

TEST(Control, StraightLine) {
  Bench bench(kernel("mul.lo.u32 %r2, %r1, 3;" + kStore));
  const auto out = bench.buffer("out", iota(64));
  const Outcome outcome = bench.run_clean(launch_of(1, 64));
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(bench.values<std::uint32_t>(out)[i], 3 * i);
  EXPECT_EQ(outcome.warp_instructions, 2u * 10);
  EXPECT_EQ(outcome.lane_instructions, 64u * 10);
}

TEST(Control, PartialWarpAndGrid) {
  Bench bench(kernel(R"(
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r1;
    mul.wide.u32 %rd5, %r2, 4;)" +
                     kStore));
  const auto out = bench.buffer("out", std::vector<std::uint32_t>(7 * 45, 99));
  bench.run_clean(launch_of(7, 45));
  EXPECT_EQ(bench.values<std::uint32_t>(out), iota(7 * 45));
}

TEST(Control, IfElseReconverges) {
  Bench bench(kernel(R"(
    and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;
    @%p1 bra EVEN;
    mov.u32 %r2, 100; bra JOIN;
    EVEN: mov.u32 %r2, 200;
    JOIN: activemask.b32 %r4; add.u32 %r2, %r2, %r1; )" +
                     kStore + R"(
    add.s64 %rd7, %rd2, %rd5; st.global.u32 [%rd7], %r4;)"));
  const auto out = bench.buffer("out", iota(32));
  const auto masks = bench.buffer("masks", iota(32));
  bench.run_clean(launch_of(1, 32));
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(bench.values<std::uint32_t>(out)[i], (i % 2 == 0 ? 200 : 100) + i);
    EXPECT_EQ(bench.values<std::uint32_t>(masks)[i], 0xFFFFFFFFu);
  }
}

TEST(Control, DivergentLoopMeetsAtItsEnd) {
  Bench bench(kernel(R"(
    mov.u32 %r2, 0; mov.u32 %r3, 0;
    LOOP: add.u32 %r2, %r2, %r3; add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r1; @%p1 bra LOOP;
    activemask.b32 %r4; )" +
                     kStore + "add.s64 %rd7, %rd2, %rd5; st.global.u32 [%rd7], %r4;"));
  const auto out = bench.buffer("out", iota(32));
  const auto masks = bench.buffer("masks", iota(32));
  bench.run_clean(launch_of(1, 32));
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(bench.values<std::uint32_t>(out)[i], i * (i + 1) / 2);
    EXPECT_EQ(bench.values<std::uint32_t>(masks)[i], 0xFFFFFFFFu);
  }
}

TEST(Control, EarlyExitLeavesTheOthersTogether) {
  Bench bench(kernel(R"(
    setp.gt.u32 %p1, %r1, 9; @%p1 ret;
    setp.lt.u32 %p2, %r1, 5; @%p2 bra A;
    mov.u32 %r2, 1; bra B;
    A: mov.u32 %r2, 2;
    B: activemask.b32 %r3; shl.b32 %r3, %r3, 4; or.b32 %r2, %r2, %r3;)" +
                     kStore));
  const auto out = bench.buffer("out", std::vector<std::uint32_t>(32, 7));
  bench.run_clean(launch_of(1, 32));
  for (std::uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(bench.values<std::uint32_t>(out)[i], i > 9 ? 7 : (0x3FFu << 4 | (i < 5 ? 2 : 1)));
}

TEST(Control, BranchTable) {
  Bench bench(kernel(R"(
    and.b32 %r3, %r1, 3;
    TS: .branchtargets L0, L1, L2, L1;
    brx.idx %r3, TS;
    L0: mov.u32 %r2, 10; bra J;
    L1: mov.u32 %r2, 11; bra J;
    L2: mov.u32 %r2, 12; bra J;
    J: activemask.b32 %r4; setp.ne.u32 %p1, %r4, -1; @%p1 mov.u32 %r2, 0; )" +
                     kStore));
  const auto out = bench.buffer("out", iota(32));
  bench.run_clean(launch_of(1, 32));
  const std::uint32_t expected[] = {10, 11, 12, 11};
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(bench.values<std::uint32_t>(out)[i], expected[i % 4]);
}

TEST(Control, BranchTableIndexOutOfRangeIsAnError) {
  Bench bench(kernel("TS: .branchtargets L0; brx.idx %r1, TS; L0: mov.u32 %r2, 10;"));
  const auto outcome = bench.try_run(launch_of(1, 32));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::kKernel);
  EXPECT_THAT(outcome.error().what, HasSubstr("index 1 of a table of 1"));
}

const std::string kFactorial = R"(
.func (.param .b32 out) fact(.param .b32 n)
{
  .reg .pred %p<3>; .reg .b32 %r<10>;
  ld.param.u32 %r1, [n];
  setp.gt.u32 %p1, %r1, 1;
  @%p1 bra REC;
  mov.u32 %r2, 1; st.param.b32 [out], %r2; ret;
  REC: sub.u32 %r3, %r1, 1;
  { .param .b32 a; st.param.b32 [a], %r3; .param .b32 r; call.uni (r), fact, (a); ld.param.b32 %r4, [r]; }
  mul.lo.u32 %r5, %r4, %r1; st.param.b32 [out], %r5; ret;
}
)";

TEST(Control, RecursionKeepsRegistersOfEachLane) {
  Bench bench(kernel(R"(
    and.b32 %r3, %r1, 7;
    { .param .b32 a; st.param.b32 [a], %r3; .param .b32 r; call (r), fact, (a); ld.param.b32 %r2, [r]; }
    activemask.b32 %r4; setp.ne.u32 %p1, %r4, -1; @%p1 mov.u32 %r2, 0; )" +
                         kStore,
                     kFactorial));
  const auto out = bench.buffer("out", iota(32));
  bench.run_clean(launch_of(1, 32));
  const std::uint32_t expected[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(bench.values<std::uint32_t>(out)[i], expected[i % 8]);
}

TEST(Control, EndlessRecursionIsAnError) {
  Bench bench(kernel(R"({ .param .b32 a; st.param.b32 [a], %r1; .param .b32 r; call (r), f, (a); })", R"(
.func (.param .b32 out) f(.param .b32 n) {
  .reg .b32 %r<4>; ld.param.b32 %r1, [n];
  { .param .b32 a; st.param.b32 [a], %r1; .param .b32 r; call (r), f, (a); ld.param.b32 %r1, [r]; }
  st.param.b32 [out], %r1; ret; })"));
  const auto outcome = bench.try_run(launch_of(1, 32));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::kKernel);
  EXPECT_THAT(outcome.error().what, HasSubstr("nest deeper"));
}

TEST(Control, IndirectCallsByLane) {
  Bench bench(kernel(R"(
    and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;
    mov.u64 %rd7, one; mov.u64 %rd8, two; selp.b64 %rd9, %rd7, %rd8, %p1;
    { .param .b32 a; st.param.b32 [a], %r1; .param .b32 r;
      pr: .callprototype (.param .b32 _) _ (.param .b32 _);
      call (r), %rd9, (a), pr; ld.param.b32 %r2, [r]; }
    activemask.b32 %r4; setp.ne.u32 %p1, %r4, -1; @%p1 mov.u32 %r2, 0; )" +
                         kStore,
                     R"(
.func (.param .b32 o) one(.param .b32 n) { .reg .b32 %r<3>; ld.param.b32 %r1, [n]; add.u32 %r1, %r1, 1; st.param.b32 [o], %r1; ret; }
.func (.param .b32 o) two(.param .b32 n) { .reg .b32 %r<3>; ld.param.b32 %r1, [n]; mul.lo.u32 %r1, %r1, 2; st.param.b32 [o], %r1; ret; }
)"));
  const auto out = bench.buffer("out", iota(32));
  bench.run_clean(launch_of(1, 32));
  for (std::uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(bench.values<std::uint32_t>(out)[i], i % 2 == 0 ? i + 1 : 2 * i);
}

TEST(Control, TrapIsAKernelError) {
  Bench bench(kernel("setp.eq.u32 %p1, %r1, 3; @%p1 trap;"));
  const auto outcome = bench.try_run(launch_of(1, 32));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::kKernel);
  EXPECT_THAT(outcome.error().what, HasSubstr("trap"));
}

TEST(Control, UnsupportedInstructionsAreNamed) {
  Bench bench(kernel("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [tex, {%r1}];", ".global .texref tex;"));
  const auto program = bench.load();
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, ErrorCode::kMachine);
}

TEST(Control, UnknownModifiersAreNamed) {
  Bench bench(kernel("add.f32.rubbish %f1, %f2, %f3;"));
  const auto program = bench.load();
  ASSERT_FALSE(program.has_value());
  EXPECT_THAT(program.error().what,
              testing::AllOf(HasSubstr("rubbish"), HasSubstr("PTX line"), HasSubstr(" of k")));
}

TEST(Control, UnknownEntry) {
  Bench bench(kernel(""));
  const auto program = bench.load("nothing");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code, ErrorCode::kUsage);
  EXPECT_THAT(program.error().hint, HasSubstr("k"));
}

TEST(Control, WrongParametersAndLaunchesAreRefused) {
  Bench bench(kernel(""));
  auto program = bench.load();
  ASSERT_TRUE(program.has_value());
  Execution execution;
  execution.launch = launch_of(1, 32);
  EXPECT_EQ(execute(**program, bench.memory, execution, {}).error().code, ErrorCode::kUsage);
  execution.parameters.resize(32);
  execution.launch = launch_of(1, 1025);
  EXPECT_EQ(execute(**program, bench.memory, execution, {}).error().code, ErrorCode::kUsage);
  execution.launch = launch_of(0, 32);
  EXPECT_EQ(execute(**program, bench.memory, execution, {}).error().code, ErrorCode::kUsage);
  execution.launch = launch_of(2, 32);
  execution.blocks = {2};
  EXPECT_EQ(execute(**program, bench.memory, execution, {}).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace gpuprobe::simt
