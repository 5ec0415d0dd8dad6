// The commonest shape of a warp access: the lowest lanes are active and their addresses form an arithmetic
// progression (contiguous, strided, reversed, one address). Such an access has a closed-form cost.
//
//   if (const auto p = as_progression(pattern)) ...   // p->lanes, p->first, p->stride
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "core/site.h"

namespace gpuprobe::memory {

struct Progression {
  int lanes = 0;            ///< lanes 0..lanes-1 are active, at least one
  std::uint64_t first = 0;  ///< address of lane 0
  std::int64_t stride = 0;  ///< bytes from lane to lane; 0 also for a single lane

  std::uint64_t distance() const { return static_cast<std::uint64_t>(stride < 0 ? -stride : stride); }
  std::uint64_t last() const { return first + static_cast<std::uint64_t>(stride) * (lanes - 1); }
  std::uint64_t lowest() const { return stride < 0 ? last() : first; }
  /// One past the highest byte that a lane of `width` bytes touches.
  std::uint64_t end(std::uint32_t width) const { return (stride < 0 ? first : last()) + width; }
};

/// nullopt if no lane is active, the active lanes are not the lowest ones, or the steps between them differ.
inline std::optional<Progression> as_progression(const LanePattern& pattern) {
  const std::uint32_t active = pattern.active;
  if (active == 0 || (active & (active + 1)) != 0) return std::nullopt;
  const int lanes = std::popcount(active);
  const std::uint64_t first = pattern.address[0];
  const std::uint64_t stride = lanes > 1 ? pattern.address[1] - first : 0;
  std::uint64_t expected = first;
  std::uint64_t difference = 0;
  if (lanes == 32) {  // a constant trip count, so that the compiler can vectorise it
    for (std::uint64_t i = 0; i < 32; ++i, expected += stride) difference |= pattern.address[i] ^ expected;
  } else {
    for (int i = 0; i < lanes; ++i, expected += stride) difference |= pattern.address[i] ^ expected;
  }
  if (difference != 0) return std::nullopt;
  return Progression{lanes, first, static_cast<std::int64_t>(stride)};
}

}  // namespace gpuprobe::memory
