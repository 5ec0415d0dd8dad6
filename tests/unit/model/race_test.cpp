// The race detector: planted races and clean programs, driven by hand, and random programs against
// reachability in the happens-before graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "model/hazards/race_detector.h"

namespace gpuprobe::hazards {
namespace {

using simt::AccessOp;
using simt::MemoryAccess;
using simt::MemorySpace;

constexpr std::uint64_t kGlobal = std::uint64_t{1} << 40;  ///< addresses from here on are global
constexpr simt::MemoryOrder kAcquire{true, true, false};
constexpr simt::MemoryOrder kRelease{true, false, true};

/// Drives a detector the way the machine does. Instruction numbers double as line numbers.
class Block {
 public:
  explicit Block(int warps, std::uint32_t shared_bytes = 4096) : warps_(warps), detector_(warps) {
    detector_.begin_block(0, shared_bytes);
  }
  void next_block(std::uint64_t block, std::uint32_t bytes = 4096) { detector_.begin_block(block, bytes); }
  void touch(int line, int warp, AccessOp op, std::uint64_t first_byte, std::uint32_t width = 4,
             int lanes = 32, std::uint64_t stride = 4) {
    MemoryAccess access;
    access.instruction = line;
    access.space = MemorySpace::kShared;
    access.op = op;
    access.width = width;
    access.active = lanes == 32 ? ~0u : (1u << lanes) - 1;
    for (int i = 0; i < 32; ++i) addresses_[i] = first_byte + stride * i;
    access.addresses = addresses_.data();
    access.shared_destination = addresses_.data();
    access.warp = warp;
    detector_.access(access);
  }
  void access(const MemoryAccess& access) { detector_.access(access); }
  void store(int line, int warp, std::uint64_t byte) { touch(line, warp, AccessOp::kStore, byte); }
  void load(int line, int warp, std::uint64_t byte) { touch(line, warp, AccessOp::kLoad, byte); }
  /// A strong access of one word: volatile or relaxed, with what `order` adds.
  void strong(int line, int warp, AccessOp op, std::uint64_t byte,
              simt::MemoryOrder order = {true, false, false}) {
    MemoryAccess access;
    access.instruction = line;
    access.space = byte < kGlobal ? MemorySpace::kShared : MemorySpace::kGlobal;
    access.op = op;
    access.active = 1;
    addresses_[0] = byte;
    access.addresses = addresses_.data();
    access.warp = warp;
    access.order = order;
    access.order.strong = true;
    detector_.access(access);
  }
  void fence(int warp, simt::MemoryOrder order = {true, true, true}) { detector_.fence(0, warp, order); }
  void sync() { detector_.barrier(0, 0, std::vector<bool>(warps_, true)); }
  void sync_some(std::uint32_t mask, int id = 1) {
    std::vector<bool> joined(warps_);
    for (int w = 0; w < warps_; ++w) joined[w] = mask >> w & 1;
    detector_.barrier(0, id, joined);
  }
  std::vector<Hazard> hazards() const {
    return shared_hazards(detector_.records(), [this](int line) -> const simt::InstructionInfo& {
      simt::InstructionInfo& info = infos_[line];
      info.text = "ld.shared.f32";
      info.location = {"kernel.cu", line};
      return info;
    });
  }
  std::vector<std::pair<HazardKind, std::vector<int>>> found() const {
    std::vector<std::pair<HazardKind, std::vector<int>>> out;
    for (const Hazard& hazard : hazards()) {
      std::vector<int> lines;
      for (const Location& location : hazard.locations) lines.push_back(location.line);
      out.emplace_back(hazard.kind, lines);
    }
    return out;
  }
  const RaceDetector& detector() const { return detector_; }

 private:
  int warps_;
  RaceDetector detector_;
  std::array<std::uint64_t, 32> addresses_{};
  mutable std::map<int, simt::InstructionInfo> infos_;
};

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

/// One event of a random program, executed in this order.
struct Event {
  int warp = 0;
  int word = 0;
  Use use = Use::kRead;
  std::uint32_t barrier = 0;  ///< not 0: a barrier of these warps instead
  bool fence = false;         ///< instead
  bool whole_row = false;     ///< the 32 words of row `word`, or one in its middle; strong accesses: that one
  simt::MemoryOrder order;    ///< of a strong access or fence

  bool is_access() const { return barrier == 0 && !fence; }
  bool is_strong_write() const { return is_access() && writes(use) && is_strong(use); }
};

constexpr int kWarps = 4;

/// Happens-before, by definition: before[i][j].
class Order {
 public:
  explicit Order(const std::vector<Event>& events)
      : events_(events), before_(events.size(), std::vector<bool>(events.size(), false)) {
    for (std::size_t j = 0; j < events_.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i)
        if (shares_warp(events_[i], events_[j])) add(i, j);
      // An acquire at j takes over from what its own read or an earlier one of its warp has read from.
      if (events_[j].barrier != 0 || !events_[j].order.acquires) continue;
      if (!events_[j].fence) {
        add_releases(j, j);
        continue;
      }
      for (std::size_t read = 0; read < j; ++read)
        if (events_[read].is_access() && events_[read].warp == events_[j].warp) add_releases(read, j);
    }
  }
  bool before(std::size_t i, std::size_t j) const { return before_[i][j]; }

 private:
  static bool shares_warp(const Event& a, const Event& b) {
    const std::uint32_t in_a = a.barrier ? a.barrier : 1u << a.warp;
    const std::uint32_t in_b = b.barrier ? b.barrier : 1u << b.warp;
    return (in_a & in_b) != 0;
  }
  void add(std::size_t i, std::size_t j) {
    before_[i][j] = true;
    for (std::size_t k = 0; k < i; ++k)
      if (before_[k][i]) before_[k][j] = true;
  }
  /// Everything that released the value which the access `read` finds comes before `acquire`.
  void add_releases(std::size_t read, std::size_t acquire) {
    const Use use = events_[read].use;
    if (use != Use::kStrongRead && use != Use::kAtomic) return;
    for (std::size_t i = read; i-- > 0;) {
      const Event& write = events_[i];
      if (!write.is_access() || !writes(write.use) || write.word != events_[read].word) continue;
      if (!is_strong(write.use)) return;
      if (write.order.releases) add(i, acquire);
      for (std::size_t f = 0; f < i; ++f)
        if (events_[f].fence && events_[f].order.releases && events_[f].warp == write.warp) add(f, acquire);
      if (write.use != Use::kAtomic) return;  // an atomic hands on what the write before it released
    }
  }

  const std::vector<Event>& events_;
  std::vector<std::vector<bool>> before_;
};

/// Two accesses of different warps to one word, at least one a write and one weak, race if neither happens
/// before the other.
bool has_race(const std::vector<Event>& events) {
  const Order order(events);
  for (std::size_t i = 0; i < events.size(); ++i)
    for (std::size_t j = i + 1; j < events.size(); ++j) {
      const Event& a = events[i];
      const Event& b = events[j];
      if (!a.is_access() || !b.is_access() || a.word != b.word || a.warp == b.warp) continue;
      if ((is_strong(a.use) && is_strong(b.use)) || (!writes(a.use) && !writes(b.use))) continue;
      if (!order.before(i, j)) return true;
    }
  return false;
}

bool detector_finds_race(const std::vector<Event>& events) {
  Block block(kWarps, 4096);
  for (const Event& event : events) {
    if (event.barrier) {
      block.sync_some(event.barrier);
      continue;
    }
    if (event.fence) {
      block.fence(event.warp, event.order);
      continue;
    }
    const AccessOp op = event.use == Use::kAtomic ? AccessOp::kAtomic
                        : writes(event.use)       ? AccessOp::kStore
                                                  : AccessOp::kLoad;
    const std::uint64_t row = 128 * static_cast<std::uint64_t>(event.word);
    if (is_strong(event.use)) {
      block.strong(1, event.warp, op, row + 20, event.order);
    } else {
      block.touch(1, event.warp, op, event.whole_row ? row : row + 20, 4, event.whole_row ? 32 : 1);
    }
  }
  for (const ConflictRecord& record : block.detector().records())
    if (record.conflict != Conflict::kReadOfNothing) return true;
  return false;
}

enum class Barriers { kFull, kNamed };

void check_random_programs(Barriers barriers, bool strong_accesses) {
  const auto event = rc::gen::exec([=] {
    Event e;
    e.warp = *rc::gen::inRange(0, kWarps);
    e.word = *rc::gen::inRange(0, 3);
    e.whole_row = *rc::gen::arbitrary<bool>();
    e.use = *rc::gen::element(Use::kRead, Use::kRead, Use::kWrite, Use::kAtomic);
    if (strong_accesses) {
      e.use = *rc::gen::element(Use::kRead, Use::kWrite, Use::kStrongRead, Use::kStrongWrite, Use::kAtomic);
      e.order.acquires = *rc::gen::arbitrary<bool>() && e.use != Use::kStrongWrite && is_strong(e.use);
      e.order.releases = *rc::gen::arbitrary<bool>() && e.use != Use::kStrongRead && is_strong(e.use);
      e.fence = *rc::gen::inRange(0, 5) == 0;
      if (e.fence) e.order = {true, *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()};
    }
    if (!e.fence && *rc::gen::inRange(0, 5) < (strong_accesses ? 1 : 3))
      e.barrier = barriers == Barriers::kFull ? (1u << kWarps) - 1 : *rc::gen::inRange(1u, 1u << kWarps);
    return e;
  });
  const auto events = *rc::gen::container<std::vector<Event>>(event);
  RC_CLASSIFY(has_race(events), "racy");
  RC_ASSERT(detector_finds_race(events) == has_race(events));
}

RC_GTEST_PROP(RaceProperty, FullBarriers, ()) {
  check_random_programs(Barriers::kFull, false);
}
RC_GTEST_PROP(RaceProperty, NamedBarriers, ()) {
  check_random_programs(Barriers::kNamed, false);
}
RC_GTEST_PROP(RaceProperty, StrongAccessesAndFullBarriers, ()) {
  check_random_programs(Barriers::kFull, true);
}
RC_GTEST_PROP(RaceProperty, StrongAccessesAndNamedBarriers, ()) {
  check_random_programs(Barriers::kNamed, true);
}

}  // namespace
}  // namespace gpuprobe::hazards
