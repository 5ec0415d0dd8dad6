// How a shared access is cut into phases: groups of consecutive lanes that the data stage serves together.
// Up to 4 bytes a lane one phase of 32 lanes, 8 bytes two of 16, 16 bytes four of 8 (measured on sm_90; the
// bank width of 32 x 4 bytes forces it). Loads of 8 and 16 bytes may merge phases two by two.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "model/memory/cost.h"

namespace gpuprobe::memory {

/// Bytes a lane, clamped to what shared instructions can have.
inline std::uint32_t shared_width(const LanePattern& pattern) {
  return std::clamp<std::uint32_t>(pattern.width, 1, 16);
}

/// Lanes in one phase: 32, 16 or 8.
inline int lanes_per_phase(std::uint32_t width) {
  return width <= 4 ? 32 : width <= 8 ? 16 : 8;
}

/// True if every active lane has the address of lane `i ^ distance`, an inactive partner counting as equal.
inline bool partners_agree(const LanePattern& pattern, int distance) {
  for (std::uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const int partner = lane ^ distance;
    if ((pattern.active >> partner & 1) && pattern.address[lane] != pattern.address[partner]) return false;
  }
  return true;
}

/// Lanes served together by a load: two phases at once if neighbouring lanes (i, i^1) or (i, i^2) agree.
inline int lanes_per_load_group(const LanePattern& pattern, std::uint32_t width) {
  const int lanes = lanes_per_phase(width);
  if (lanes == kWarpLanes) return lanes;
  return partners_agree(pattern, 1) || partners_agree(pattern, 2) ? 2 * lanes : lanes;
}

/// The active lanes of group `group` when `lanes` lanes make a group.
inline std::uint32_t group_mask(std::uint32_t active, int lanes, int group) {
  const std::uint32_t all = lanes == kWarpLanes ? ~0u : (1u << lanes) - 1;
  return active & (all << (group * lanes));
}

}  // namespace gpuprobe::memory
