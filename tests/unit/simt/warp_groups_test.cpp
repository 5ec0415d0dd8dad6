// Groups of a warp that work with member masks of their own, packed comparisons, mbarrier objects.
#include <gmock/gmock.h>

#include <numeric>

#include "bench_kernel.h"

namespace gpuprobe::simt {
namespace {

using testing::Each;
using testing::HasSubstr;

const std::string kStore = "add.s64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r2;";
/// %r4: the mask of the eight lanes around this one.
const std::string kMaskOfEight =
    "mov.u32 %r3, %laneid; and.b32 %r3, %r3, 24; mov.u32 %r4, 255; shl.b32 %r4, %r4, %r3;";

std::vector<std::uint32_t> counting(std::uint32_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  return values;
}

std::vector<std::uint32_t> run_lanes(const std::string& body) {
  Bench bench(kernel(body + kStore));
  const auto out = bench.buffer("out", counting(32));
  bench.run_clean({{1, 1, 1}, {32, 1, 1}});
  return bench.values<std::uint32_t>(out);
}

TEST(WarpGroups, EachTileReducesItsOwnLanes) {
  const auto sums = run_lanes(kMaskOfEight + "redux.sync.add.s32 %r2, %r1, %r4;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(sums[i], 8 * (i / 8 * 8) + 28);
}

TEST(WarpGroups, EachTileVotesAlone) {
  const auto ballots =
      run_lanes(kMaskOfEight + "setp.ge.u32 %p1, %r1, 12; vote.sync.ballot.b32 %r2, %p1, %r4;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(ballots[i], 0xFFFFF000u & (0xFFu << (i / 8 * 8))) << i;
}

TEST(WarpGroups, EachTileMatchesAlone) {
  const auto same = run_lanes(kMaskOfEight + "and.b32 %r5, %r1, 1; match.any.sync.b32 %r2, %r5, %r4;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(same[i], (i % 2 == 0 ? 0x55u : 0xAAu) << (i / 8 * 8)) << i;
}

TEST(WarpGroups, GroupsThatAreCompleteGoOnWhileOthersWait) {
  // Lanes 0..15 are one group. Of the other one only lanes 16..23 come first, 24..31 by another way.
  const auto sums = run_lanes(R"(
    setp.lt.u32 %p1, %r1, 16; selp.b32 %r4, 0xFFFF, 0xFFFF0000, %p1;
    setp.ge.u32 %p2, %r1, 24;
    @%p2 bra LATE;
    redux.sync.add.u32 %r2, %r1, %r4;
    bra JOIN;
    LATE: redux.sync.add.u32 %r2, %r1, %r4;
    JOIN: )");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(sums[i], i < 16 ? 120u : 376u) << i;
}

TEST(PackedCompare, EachHalfForItself) {
  // 1.0 and 2.0 against 1.0 and 3.0: only the lower halves are equal.
  EXPECT_THAT(
      run_lanes("mov.b32 %r5, 0x40003C00; mov.b32 %r6, 0x42003C00; set.eq.f16x2.f16x2 %r2, %r5, %r6;"),
      Each(0x00003C00u));
  EXPECT_THAT(run_lanes("mov.b32 %r5, 0x40003C00; mov.b32 %r6, 0x42003C00; set.lt.u32.f16x2 %r2, %r5, %r6;"),
              Each(0xFFFF0000u));
  // The same as bfloat16: 1.0 and 2.0 against 1.0 and NaN; .neu holds with a NaN.
  EXPECT_THAT(
      run_lanes("mov.b32 %r5, 0x40003F80; mov.b32 %r6, 0x7FFF3F80; set.neu.bf16x2.bf16x2 %r2, %r5, %r6;"),
      Each(0x3F800000u));
  EXPECT_THAT(run_lanes("mov.b32 %r5, 0x40003C00; mov.b32 %r6, 0x42003C00; setp.eq.f16x2 %p1|%p2, %r5, %r6;"
                        "selp.b32 %r2, 1, 0, %p1; selp.b32 %r7, 2, 0, %p2; or.b32 %r2, %r2, %r7;"),
              Each(1u));
}

const std::string kObject = ".shared .align 8 .b64 object; .shared .align 4 .b32 word[64];";
const std::string kInit =
    "mov.u32 %r10, object; setp.ne.u32 %p1, %r1, 0; @%p1 bra READY; mbarrier.init.shared.b64 [%r10], 64;"
    "READY: bar.sync 0;";

TEST(Mbarrier, EndsItsPhaseWithTheLastArrival) {
  // Each thread hands its number to the one on the other side, twice: two phases of 64 arrivals.
  Bench bench(kernel(kInit + R"(
    mov.u32 %r11, word; shl.b32 %r12, %r1, 2; add.u32 %r12, %r11, %r12;
    xor.b32 %r13, %r1, 63; shl.b32 %r13, %r13, 2; add.u32 %r13, %r11, %r13;
    st.shared.u32 [%r12], %r1;
    mbarrier.arrive.shared::cta.b64 %rd10, [%r10];
    WAIT: mbarrier.test_wait.shared::cta.b64 %p2, [%r10], %rd10; @!%p2 bra WAIT;
    ld.shared.u32 %r2, [%r13];
    mbarrier.arrive.shared::cta.b64 _, [%r10];
    AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 1; @!%p2 bra AGAIN;
    st.shared.u32 [%r12], %r2;)" +
                         kStore,
                     "", kObject));
  const auto out = bench.buffer("out", counting(64));
  bench.run_clean({{1, 1, 1}, {64, 1, 1}});
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(bench.values<std::uint32_t>(out)[i], 63 - i);
  // Both phases are reported as synchronisation, besides the bar.sync.
  const auto blocks = std::count_if(bench.recorder.syncs.begin(), bench.recorder.syncs.end(),
                                    [](const auto& sync) { return sync.warp == -1; });
  EXPECT_EQ(blocks, 3);
}

TEST(Mbarrier, ExpectedBytesHoldThePhase) {
  const auto body = kInit + R"(
    mbarrier.arrive.expect_tx.shared::cta.b64 %rd10, [%r10], 4;
    mbarrier.test_wait.shared::cta.b64 %p2, [%r10], %rd10;
    selp.b32 %r2, 1, 0, %p2;
    bar.sync 0;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r10], 4;
    bar.sync 0;
    mbarrier.test_wait.shared::cta.b64 %p2, [%r10], %rd10;
    selp.b32 %r3, 2, 0, %p2; or.b32 %r2, %r2, %r3;)";
  Bench bench(kernel(body + kStore, "", kObject));
  const auto out = bench.buffer("out", counting(64));
  bench.run_clean({{1, 1, 1}, {64, 1, 1}});
  EXPECT_THAT(bench.values<std::uint32_t>(out), Each(2u));  // not before the bytes came, but then
}

TEST(Mbarrier, MisuseIsAnErrorOfTheKernel) {
  const auto what = [](const std::string& body) {
    Bench bench(kernel("mov.u32 %r10, object;" + body, "", kObject));
    const auto outcome = bench.try_run({{1, 1, 1}, {32, 1, 1}});
    return outcome ? std::string("no error") : outcome.error().what;
  };
  EXPECT_THAT(what("mbarrier.arrive.shared.b64 %rd10, [%r10];"), HasSubstr("before mbarrier.init"));
  EXPECT_THAT(what("mbarrier.init.shared.b64 [%r10], 0;"), HasSubstr("0 arrivals"));
  EXPECT_THAT(what("mbarrier.init.shared.b64 [%r10], 3; mbarrier.arrive.shared.b64 %rd10, [%r10], 4;"),
              HasSubstr("more arrives"));
}

}  // namespace
}  // namespace gpuprobe::simt
