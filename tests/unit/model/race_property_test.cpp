// The race detector on random programs against happens-before by its definition.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "unit/model/race_block.h"

namespace gpuprobe::hazards {
namespace {

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
