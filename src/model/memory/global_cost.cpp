#include <algorithm>
#include <array>
#include <bit>

#include "model/memory/cost.h"
#include "model/memory/progression.h"

namespace gpuprobe::memory {
namespace {

constexpr int kSectorShift = 5;  // log2 of kSectorBytes
constexpr int kLineShift = 7;    // a line is four sectors
constexpr std::uint64_t kLineBytes = 1 << kLineShift;

/// A set of up to 64 numbers (32 lanes, each touching at most two sectors), each with a small count. Open
/// addressing over a table that needs no clearing: a bit mask says which slots are in use.
class SmallCounter {
 public:
  /// Adds one occurrence of `key` and returns its count so far.
  int add(std::uint64_t key) {
    const std::size_t slot = find(key);
    return ++counts_[slot];
  }
  /// Raises the count of `key` to at least `count`; returns by how much the count grew.
  int raise(std::uint64_t key, int count) {
    const std::size_t slot = find(key);
    const int before = counts_[slot];
    counts_[slot] = std::max(before, count);
    return counts_[slot] - before;
  }
  int size() const { return size_; }

 private:
  static constexpr std::size_t kSlots = 128;

  std::size_t find(std::uint64_t key) {
    std::size_t slot = (key * 0x9E3779B97F4A7C15ull) >> 57;
    while (used_[slot >> 6] >> (slot & 63) & 1) {
      if (keys_[slot] == key) return slot;
      slot = (slot + 1) % kSlots;
    }
    used_[slot >> 6] |= std::uint64_t{1} << (slot & 63);
    keys_[slot] = key;
    counts_[slot] = 0;
    ++size_;
    return slot;
  }

  std::array<std::uint64_t, 2> used_{};
  std::array<std::uint64_t, kSlots> keys_;
  std::array<int, kSlots> counts_;
  int size_ = 0;
};

std::uint32_t clamped_width(const LanePattern& pattern) {
  return std::clamp<std::uint32_t>(pattern.width, 1, kSectorBytes);
}

int ideal_sectors(int active_lanes, std::uint32_t width, int sectors) {
  const int packed = (active_lanes * static_cast<int>(width) + kSectorBytes - 1) / kSectorBytes;
  return std::min(sectors, packed);
}

int pieces(std::uint64_t begin, std::uint64_t end, int shift) {
  return static_cast<int>(((end - 1) >> shift) - (begin >> shift)) + 1;
}

struct Footprint {
  int sectors = 0;
  int lines = 0;
  std::uint64_t lowest = ~std::uint64_t{0};  ///< lowest address
};

/// Counts pieces while they come in ascending order: a piece is new exactly if it lies above the highest so
/// far.
class AscendingCounter {
 public:
  /// False if the pieces first..last do not continue the ascent.
  bool add(std::uint64_t first, std::uint64_t last) {
    if (first + 1 < next_) return false;
    count_ += static_cast<int>(last + 1 - std::max(first, next_));
    next_ = last + 1;
    return true;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
  std::uint64_t next_ = 0;
};

/// Footprint of the active lanes when every address is lowered by `lower`.
Footprint footprint(const LanePattern& pattern, std::uint32_t width, std::uint64_t lower) {
  Footprint out;
  AscendingCounter sectors;
  AscendingCounter lines;
  std::uint32_t rest = pattern.active;
  for (; rest != 0; rest &= rest - 1) {  // most warps walk upwards
    const std::uint64_t begin = pattern.address[std::countr_zero(rest)] - lower;
    const std::uint64_t last = begin + width - 1;
    if (!sectors.add(begin >> kSectorShift, last >> kSectorShift)) break;
    if (!lines.add(begin >> kLineShift, last >> kLineShift)) break;
    out.lowest = std::min(out.lowest, begin);
  }
  out.sectors = sectors.count();
  out.lines = lines.count();
  if (rest == 0) return out;

  SmallCounter sector_set;
  SmallCounter line_set;
  for (rest = pattern.active; rest != 0; rest &= rest - 1) {
    const std::uint64_t begin = pattern.address[std::countr_zero(rest)] - lower;
    const std::uint64_t last = begin + width - 1;
    for (std::uint64_t sector = begin >> kSectorShift; sector <= last >> kSectorShift; ++sector)
      if (sector_set.add(sector) == 1) line_set.add(sector >> (kLineShift - kSectorShift));
    out.lowest = std::min(out.lowest, begin);
  }
  out.sectors = sector_set.size();
  out.lines = line_set.size();
  return out;
}

bool progression_cost(const Progression& p, std::uint32_t width, GlobalCost& cost) {
  // With steps of at most one sector every sector between the lowest and the highest byte holds a lane's
  // start.
  const std::uint64_t distance = p.distance();
  const std::uint64_t begin = p.lowest();
  const std::uint64_t end = p.end(width);
  const bool aligned = std::has_single_bit(width) && (p.first % width) == 0 && (distance % width) == 0;
  if (distance > kSectorBytes && !aligned) return false;
  if (distance <= kSectorBytes) {
    cost.sectors = pieces(begin, end, kSectorShift);
    cost.aligned_sectors = static_cast<int>((end - begin + kSectorBytes - 1) / kSectorBytes);
  } else {
    cost.sectors = cost.aligned_sectors = p.lanes;
  }
  cost.lines = distance <= kLineBytes ? pieces(begin, end, kLineShift) : p.lanes;
  cost.ideal = ideal_sectors(p.lanes, width, cost.sectors);
  return true;
}

}  // namespace

GlobalCost global_cost(const LanePattern& pattern) {
  GlobalCost cost;
  if (pattern.active == 0) return cost;
  const std::uint32_t width = clamped_width(pattern);
  if (const auto progression = as_progression(pattern))
    if (progression_cost(*progression, width, cost)) return cost;

  const Footprint found = footprint(pattern, width, 0);
  cost.sectors = found.sectors;
  cost.lines = found.lines;
  const std::uint64_t shift = found.lowest % kSectorBytes;
  cost.aligned_sectors = shift == 0 ? found.sectors : footprint(pattern, width, shift).sectors;
  cost.ideal = ideal_sectors(std::popcount(pattern.active), width, cost.sectors);
  return cost;
}

GlobalCost global_atomic_cost(const LanePattern& pattern) {
  GlobalCost cost = global_cost(pattern);
  if (pattern.active == 0) return cost;
  const std::uint32_t width = clamped_width(pattern);
  const std::uint32_t word = std::bit_ceil(std::max<std::uint32_t>(width, kBankBytes));
  const int word_shift = std::countr_zero(word);
  const auto progression = as_progression(pattern);
  if (progression && progression->distance() >= word) return cost;

  // A sector is processed once for each lane on its most wanted word.
  SmallCounter words;
  SmallCounter sectors;
  int passes = 0;
  for (std::uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = pattern.address[std::countr_zero(rest)];
    const int lanes = words.add(address >> word_shift);
    cost.same_word_lanes = std::max(cost.same_word_lanes, lanes);
    passes += sectors.raise(address >> kSectorShift, lanes);
  }
  cost.aligned_sectors += passes - cost.sectors;
  cost.sectors = passes;
  return cost;
}

}  // namespace gpuprobe::memory
