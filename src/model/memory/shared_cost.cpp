#include <array>
#include <numeric>

#include "model/memory/cost.h"
#include "model/memory/phases.h"
#include "model/memory/progression.h"

namespace gpuprobe::memory {
namespace {

constexpr std::uint64_t kRowBytes = kBanks * kBankBytes;

int divide_up(int value, int divisor) {
  return (value + divisor - 1) / divisor;
}

/// Counts distinct units (words, or aligned slots of 8 or 16 bytes) for each column of the banks.
class ColumnCounter {
 public:
  /// `columns` is a power of two.
  explicit ColumnCounter(std::uint32_t columns) : last_column_(columns - 1) {}

  void add(std::uint64_t unit) {
    const auto column = static_cast<std::uint32_t>(unit) & last_column_;
    int depth = 1;
    if (occupied_ >> column & 1) {
      for (int entry = head_[column]; entry >= 0; entry = next_[entry]) {
        if (unit_[entry] == unit) return;
        ++depth;
      }
    }
    unit_[size_] = unit;
    next_[size_] = static_cast<std::int16_t>(occupied_ >> column & 1 ? head_[column] : -1);
    head_[column] = static_cast<std::int16_t>(size_++);
    occupied_ |= 1u << column;
    most_ = std::max(most_, depth);
  }
  /// Most distinct units in one column: the wavefronts of the group.
  int most() const { return most_; }

 private:
  static constexpr int kMaxUnits = kWarpLanes * 5;  // an unaligned 16-byte lane touches five words

  std::uint32_t last_column_;
  std::uint32_t occupied_ = 0;
  int size_ = 0;
  int most_ = 0;
  std::array<std::int16_t, kBanks> head_;
  std::array<std::int16_t, kMaxUnits> next_;
  std::array<std::uint64_t, kMaxUnits> unit_;
};

bool all_aligned(const LanePattern& pattern, std::uint32_t width) {
  std::uint64_t low_bits = 0;
  for (std::uint32_t rest = pattern.active; rest != 0; rest &= rest - 1)
    low_bits |= pattern.address[std::countr_zero(rest)];
  return std::has_single_bit(width) && (low_bits & (width - 1)) == 0;
}

/// Wavefronts of the lanes in `mask`, which are served together.
int group_wavefronts(const LanePattern& pattern, std::uint32_t mask, std::uint32_t width, bool aligned) {
  if (aligned) {
    const std::uint64_t unit = std::max<std::uint64_t>(width, kBankBytes);
    ColumnCounter counter(static_cast<std::uint32_t>(kRowBytes / unit));
    const int shift = std::countr_zero(unit);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
      counter.add(pattern.address[std::countr_zero(rest)] >> shift);
    return counter.most();
  }
  ColumnCounter counter(kBanks);
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t begin = pattern.address[std::countr_zero(rest)];
    for (std::uint64_t word = begin / kBankBytes; word <= (begin + width - 1) / kBankBytes; ++word)
      counter.add(word);
  }
  return counter.most();
}

SharedCost grouped_cost(const LanePattern& pattern, std::uint32_t width, int lanes) {
  SharedCost cost;
  const bool aligned = all_aligned(pattern, width);
  for (int group = 0; group < kWarpLanes / lanes; ++group) {
    const std::uint32_t mask = group_mask(pattern.active, lanes, group);
    if (mask == 0) continue;
    cost.wavefronts += group_wavefronts(pattern, mask, width, aligned);
    cost.ideal += 1;  // one group never asks for more than 128 bytes, so distinct banks serve it at once
  }
  cost.hardware_conflicts = cost.wavefronts - cost.ideal;
  return cost;
}

int most_lanes_on_one_word(const LanePattern& pattern, int word_shift) {
  int most = 1;
  std::uint32_t open = pattern.active;
  while (std::popcount(open) > most) {  // what is left can still win
    const std::uint64_t word = pattern.address[std::countr_zero(open)] >> word_shift;
    int same = 0;
    for (std::uint32_t rest = open; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (pattern.address[lane] >> word_shift != word) continue;
      open &= ~(1u << lane);
      ++same;
    }
    most = std::max(most, same);
  }
  return most;
}

/// Closed form for an arithmetic progression of aligned addresses; false if the pattern is not one.
bool progression_cost(const LanePattern& pattern, std::uint32_t width, bool is_load, SharedCost& cost) {
  const auto p = as_progression(pattern);
  const std::uint64_t unit = std::max<std::uint64_t>(width, kBankBytes);
  if (!p || !std::has_single_bit(width) || p->first % unit != 0 || p->distance() % unit != 0) return false;
  const int phase = lanes_per_phase(width);
  if (p->distance() == 0) {
    const bool merges = is_load && phase < kWarpLanes;
    cost.ideal = divide_up(p->lanes, merges ? 2 * phase : phase);
    cost.wavefronts = cost.ideal;
    return true;
  }
  const auto columns = static_cast<std::uint64_t>(kRowBytes / unit);
  const int used_columns = static_cast<int>(columns / std::gcd(columns, p->distance() / unit));
  const int full = p->lanes / phase;
  const int rest = p->lanes % phase;
  cost.wavefronts = full * divide_up(phase, used_columns) + divide_up(rest, used_columns);
  cost.ideal = divide_up(p->lanes, phase);
  cost.hardware_conflicts = cost.wavefronts - cost.ideal;
  return true;
}

}  // namespace

SharedCost shared_load_cost(const LanePattern& pattern) {
  SharedCost cost;
  const std::uint32_t width = shared_width(pattern);
  if (progression_cost(pattern, width, true, cost)) return cost;
  return grouped_cost(pattern, width, lanes_per_load_group(pattern, width));
}

SharedCost shared_store_cost(const LanePattern& pattern) {
  SharedCost cost;
  const std::uint32_t width = shared_width(pattern);
  if (progression_cost(pattern, width, false, cost)) return cost;
  return grouped_cost(pattern, width, lanes_per_phase(width));
}

SharedCost shared_atomic_cost(const LanePattern& pattern) {
  SharedCost cost;
  const std::uint32_t width = shared_width(pattern);
  const int word_shift = std::countr_zero(std::bit_ceil(std::max<std::uint32_t>(width, kBankBytes)));
  const std::uint64_t last_column = (kRowBytes >> word_shift) - 1;
  const int lanes = lanes_per_phase(width);
  for (int group = 0; group < kWarpLanes / lanes; ++group) {
    const std::uint32_t mask = group_mask(pattern.active, lanes, group);
    if (mask == 0) continue;
    std::array<std::uint8_t, kBanks> in_column{};
    int most = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const std::uint64_t word = pattern.address[std::countr_zero(rest)] >> word_shift;
      most = std::max<int>(most, ++in_column[word & last_column]);
    }
    cost.wavefronts += most;
    cost.ideal += 1;
  }
  cost.hardware_conflicts = cost.wavefronts - cost.ideal;
  if (cost.wavefronts > cost.ideal) cost.same_word_lanes = most_lanes_on_one_word(pattern, word_shift);
  return cost;
}

SharedCost shared_increment_cost(const LanePattern& pattern) {
  return shared_store_cost(pattern);
}

SharedCost matrix_cost(const LanePattern& pattern, int matrices) {
  const int rows = 8 * std::clamp(matrices, 1, 4);
  LanePattern row_pattern = pattern;
  row_pattern.width = 16;
  row_pattern.active = rows == kWarpLanes ? ~0u : (1u << rows) - 1;
  return shared_store_cost(row_pattern);  // phases of 8 rows, never merged
}

SharedCost async_copy_shared_cost(const LanePattern& pattern) {
  SharedCost cost = shared_store_cost(pattern);
  cost.hardware_conflicts = 0;
  return cost;
}

GlobalCost async_copy_global_cost(const LanePattern& source, const LanePattern& destination) {
  GlobalCost cost = global_cost(source);
  const SharedCost shared = shared_store_cost(destination);
  if (shared.wavefronts == shared.ideal) return cost;
  int sectors = 0;
  for (const ServiceRound& round : service_rounds(destination, false)) {
    LanePattern served = source;
    served.active = 0;
    for (int lane : round.lanes) served.active |= 1u << lane;
    served.active &= source.active;
    sectors += global_cost(served).sectors;
  }
  cost.aligned_sectors += sectors - cost.sectors;
  cost.sectors = sectors;
  return cost;
}

}  // namespace gpuprobe::memory
