// The race detector: planted races and clean programs, driven by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "unit/model/race_block.h"

namespace gpuprobe::hazards {
namespace {

using Found = std::vector<std::pair<HazardKind, std::vector<int>>>;
constexpr auto kRace = HazardKind::kSharedRace;
constexpr auto kUnwritten = HazardKind::kUninitialisedShared;

TEST(Races, StoreBarrierLoadIsClean) {
  Block block(2);
  block.store(10, 0, 0);
  block.store(10, 1, 128);
  block.sync();
  block.load(12, 0, 128);
  block.load(12, 1, 0);
  EXPECT_TRUE(block.hazards().empty());
}

TEST(Races, MissingBarrierBeforeTheRead) {
  Block block(2);
  block.store(10, 0, 0);
  block.load(12, 0, 0);  // its own words: ordered
  block.store(10, 1, 128);
  block.load(12, 1, 0);
  EXPECT_EQ(block.found(), (Found{{kRace, {10, 12}}}));
  EXPECT_EQ(block.hazards()[0].count, 32u);
  EXPECT_THAT(block.hazards()[0].text, ::testing::HasSubstr("kernel.cu:12 reads what kernel.cu:10 writes"));
}

TEST(Races, TiledProductWithoutTheSecondBarrierNamesReadAndNextStageStore) {
  // Warps run one after the other between barriers: whichever comes first, the pair is the same and in
  // program order.
  for (bool descending : {false, true}) {
    Block block(4);
    const auto each_warp = [&](auto body) {
      for (int i = 0; i < 4; ++i) body(descending ? 3 - i : i);
    };
    each_warp([&](int w) { block.store(20, w, 128 * w); });
    block.sync();
    for (int stage = 0; stage < 3; ++stage) {
      each_warp([&](int w) {
        for (int k = 0; k < 4; ++k) block.load(25, w, 128 * k);
        block.store(20, w, 128 * w);
      });
      block.sync();
    }
    EXPECT_EQ(block.found(), (Found{{kRace, {25, 20}}}));
    EXPECT_THAT(block.hazards()[0].text,
                ::testing::HasSubstr("kernel.cu:20 overwrites what kernel.cu:25 reads"));
  }
}

TEST(Races, BothBarriersAreClean) {
  Block block(4);
  for (int stage = 0; stage < 3; ++stage) {
    for (int w = 0; w < 4; ++w) block.store(20, w, 128 * w);
    block.sync();
    for (int w = 0; w < 4; ++w)
      for (int k = 0; k < 4; ++k) block.load(25, w, 128 * k);
    block.sync();
  }
  EXPECT_TRUE(block.hazards().empty());
}

TEST(Races, TwoStoresToOneWord) {
  Block block(2);
  block.store(5, 0, 0);
  block.store(7, 1, 0);
  EXPECT_EQ(block.found(), (Found{{kRace, {5, 7}}}));
}

TEST(Races, AtomicsDoNotRaceWithAtomicsButWithPlainAccesses) {
  Block block(3);
  block.store(3, 0, 0);
  block.sync();
  for (int w = 0; w < 3; ++w) block.touch(4, w, AccessOp::kAtomic, 0, 4, 32, 0);
  EXPECT_TRUE(block.hazards().empty());
  block.load(5, 2, 0);  // warp 2 made the last atomic, but those of the others are not ordered either
  EXPECT_EQ(block.found(), (Found{{kRace, {4, 5}}}));
}

TEST(Races, StrongAccessesDoNotRaceWithEachOther) {
  Block block(3);
  block.store(3, 0, 0);
  block.sync();
  // A polling load, before and after what is waited for.
  block.strong(4, 1, AccessOp::kLoad, 0);
  block.strong(5, 0, AccessOp::kStore, 0);
  block.strong(6, 2, AccessOp::kAtomic, 0);
  block.strong(4, 1, AccessOp::kLoad, 0);
  EXPECT_TRUE(block.hazards().empty());
}

TEST(Races, StrongAccessesRaceWithWeakOnes) {
  const auto found = [](auto first, auto second) {
    Block block(2);
    block.store(1, 0, 0);
    block.sync();
    first(block);
    second(block);
    return block.found();
  };
  const auto strong_load = [](Block& b) { b.strong(4, 1, AccessOp::kLoad, 0); };
  const auto strong_store = [](Block& b) { b.strong(5, 1, AccessOp::kStore, 0); };
  const auto load = [](Block& b) { b.load(6, 0, 0); };
  const auto store = [](Block& b) { b.store(7, 0, 0); };
  EXPECT_EQ(found(strong_load, store), (Found{{kRace, {4, 7}}}));
  EXPECT_EQ(found(store, strong_load), (Found{{kRace, {7, 4}}}));
  EXPECT_EQ(found(strong_store, store), (Found{{kRace, {5, 7}}}));
  EXPECT_EQ(found(store, strong_store), (Found{{kRace, {7, 5}}}));
  EXPECT_EQ(found(strong_store, load), (Found{{kRace, {5, 6}}}));
  EXPECT_EQ(found(load, strong_store), (Found{{kRace, {6, 5}}}));
  EXPECT_EQ(found(load, strong_load), Found{});
}

TEST(Races, ReleaseAndAcquireOrderWhatLiesAround) {
  for (const std::uint64_t flag : {std::uint64_t{2048}, kGlobal}) {
    Block block(2);
    block.store(9, 0, 2048);
    block.sync();
    block.store(10, 0, 0);
    block.strong(11, 0, AccessOp::kStore, flag, kRelease);
    block.store(12, 0, 256);  // after the release: not ordered
    block.strong(13, 1, AccessOp::kLoad, flag, kAcquire);
    block.load(14, 1, 0);
    EXPECT_TRUE(block.hazards().empty());
    block.load(15, 1, 256);
    EXPECT_EQ(block.found(), (Found{{kRace, {12, 15}}}));
  }
}

TEST(Races, FencesAroundRelaxedAccessesOrderToo) {
  // The lock of old: atomicCAS, __threadfence_block, ..., __threadfence_block, atomicExch.
  for (const bool fenced : {true, false}) {
    Block block(3);
    block.store(1, 0, 0);
    block.store(1, 0, 2048);
    block.sync();
    for (int warp = 0; warp < 3; ++warp) {
      block.strong(20, warp, AccessOp::kAtomic, 2048);
      if (fenced) block.fence(warp);
      block.load(21, warp, 0);
      block.store(22, warp, 0);
      if (fenced) block.fence(warp);
      block.strong(23, warp, AccessOp::kAtomic, 2048);
    }
    EXPECT_EQ(block.hazards().empty(), fenced);
  }
}

TEST(Races, ArrivalsByAtomicsHandOnWhatTheyRead) {
  // cuda::barrier before sm_80: each warp arrives by atom.acq_rel; all poll until the last one has come.
  for (const bool polls_with_acquire : {true, false}) {
    Block block(4);
    block.store(1, 0, 2048);
    block.sync();
    for (int w = 0; w < 4; ++w) {
      block.store(2, w, 128 * w);
      block.strong(3, w, AccessOp::kAtomic, 2048, {true, true, true});
      block.strong(4, 0, AccessOp::kLoad, 2048);  // an early look of warp 0
    }
    for (int w = 0; w < 4; ++w) {
      block.strong(4, w, AccessOp::kLoad, 2048,
                   polls_with_acquire ? kAcquire : simt::MemoryOrder{true, false, false});
      block.load(5, w, 128 * (3 - w));
    }
    EXPECT_EQ(block.hazards().empty(), polls_with_acquire);
  }
}

TEST(Races, AWeakStoreToTheFlagHandsNothingOn) {
  Block block(2);
  block.store(1, 0, 2048);
  block.sync();
  block.store(2, 0, 0);
  block.strong(3, 0, AccessOp::kStore, 2048, kRelease);
  block.store(4, 0, 2048);
  block.sync();  // from here on the flag holds what nobody released
  block.store(5, 0, 512);
  block.strong(6, 1, AccessOp::kLoad, 2048, kAcquire);
  block.load(7, 1, 512);
  EXPECT_EQ(block.found(), (Found{{kRace, {5, 7}}}));
}

TEST(Races, HistogramThatIsNotZeroedFirst) {
  Block block(1);
  block.touch(4, 0, AccessOp::kReduction, 0);
  EXPECT_EQ(block.found(), (Found{{kUnwritten, {4}}}));
}

TEST(Races, ReadOfWhatNobodyWroteAndOfAnEarlierBlock) {
  Block block(1);
  block.store(3, 0, 0);
  block.load(4, 0, 0);
  block.load(5, 0, 64);  // the upper half was never written
  EXPECT_EQ(block.found(), (Found{{kUnwritten, {5}}}));
  EXPECT_EQ(block.hazards()[0].count, 16u);
  Block second(1);
  second.store(3, 0, 0);
  second.next_block(1);
  second.load(4, 0, 0);
  EXPECT_EQ(second.found(), (Found{{kUnwritten, {4}}}));
}

TEST(Races, NeighbouringBytesOfOneWordDoNotRace) {
  Block block(4);
  for (int w = 0; w < 4; ++w) block.touch(8, w, AccessOp::kStore, w, 1);
  for (int w = 0; w < 4; ++w) block.touch(9, w, AccessOp::kLoad, w, 1);
  EXPECT_TRUE(block.hazards().empty());
  block.touch(10, 0, AccessOp::kLoad, 1, 1);
  EXPECT_EQ(block.found(), (Found{{kRace, {8, 10}}}));
}

TEST(Races, WordHistoryIsKeptWhenBytesAppear) {
  Block block(2);
  block.store(8, 0, 0);
  block.touch(9, 1, AccessOp::kLoad, 2, 1, 1);
  EXPECT_EQ(block.found(), (Found{{kRace, {8, 9}}}));
}

TEST(Races, WideAccessesTouchAllTheirWords) {
  Block block(2);
  block.touch(8, 0, AccessOp::kStore, 0, 16, 32, 16);
  block.touch(9, 1, AccessOp::kLoad, 12, 4, 1);
  EXPECT_EQ(block.found(), (Found{{kRace, {8, 9}}}));
}

TEST(Races, AsyncCopiesAndMatrixLoads) {
  Block block(2);
  block.touch(8, 0, AccessOp::kAsyncCopy, 0, 16, 32, 16);
  MemoryAccess matrix;
  matrix.instruction = 9;
  matrix.space = MemorySpace::kShared;
  matrix.op = AccessOp::kMatrixLoad;
  matrix.matrices = 2;
  matrix.active = ~0u;
  matrix.warp = 1;
  std::array<std::uint64_t, 32> rows{};
  for (int i = 0; i < 16; ++i) rows[i] = 16 * i;
  matrix.addresses = rows.data();
  block.access(matrix);
  EXPECT_EQ(block.found(), (Found{{kRace, {8, 9}}}));
  EXPECT_EQ(block.hazards()[0].count, 16u * 4);
}

TEST(Races, NamedBarriersOrderOnlyTheirWarps) {
  Block block(4);
  block.store(10, 0, 0);
  block.sync_some(0b0011);
  block.load(11, 1, 0);
  EXPECT_TRUE(block.hazards().empty());
  block.load(12, 2, 0);
  EXPECT_EQ(block.found(), (Found{{kRace, {10, 12}}}));
}

TEST(Races, NamedBarriersChain) {
  Block block(4);
  block.store(10, 0, 0);
  block.sync_some(0b0011, 1);
  block.sync_some(0b0110, 2);
  block.load(12, 2, 0);
  EXPECT_TRUE(block.hazards().empty());
  block.store(13, 3, 0);
  EXPECT_FALSE(block.hazards().empty());
}

TEST(Races, OutOfBoundsAddressesAreIgnored) {
  Block block(1, 64);
  block.store(1, 0, 0);
  block.load(2, 0, ~std::uint64_t{0} - 3);
  block.load(3, 0, 1 << 20);
  EXPECT_TRUE(block.hazards().empty());
}

TEST(Races, RepeatedConflictsOfManyLinesStayBounded) {
  Block block(2);
  for (int line = 0; line < 3000; ++line) {
    block.store(line, 0, 0);
    block.store(line + 5000, 1, 0);
  }
  EXPECT_LE(block.detector().records().size(), ConflictLog::kMaxRecords);
}

}  // namespace
}  // namespace gpuprobe::hazards
