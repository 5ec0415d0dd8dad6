// What a warp-level access costs, counted straight from the definitions and without the model's code: bytes
// into sectors, words into banks, one lane after the other.
//
//   Recount r = recount(AccessKind::kSharedLoad, pattern, nullptr);   r.actual == 32, r.ideal == 1
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/site.h"

namespace gpuprobe::testing {

struct Recount {
  std::uint64_t actual = 0;  ///< sectors or wavefronts
  std::uint64_t ideal = 0;
};

namespace recounting {

inline std::vector<int> lanes_of(std::uint32_t active, int first = 0, int count = 32) {
  std::vector<int> lanes;
  for (int i = first; i < first + count; ++i)
    if ((active >> i & 1) != 0) lanes.push_back(i);
  return lanes;
}

inline std::uint64_t distinct(std::vector<std::uint64_t>& values) {
  std::sort(values.begin(), values.end());
  return static_cast<std::uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
}

inline std::uint64_t sectors(const LanePattern& p, const std::vector<int>& lanes) {
  std::vector<std::uint64_t> touched;
  for (int i : lanes)
    for (std::uint64_t byte = p.address[i]; byte < p.address[i] + p.width; ++byte)
      touched.push_back(byte / 32);
  return distinct(touched);
}

inline std::uint64_t ideal_sectors(const LanePattern& p, std::uint64_t actual) {
  return std::min<std::uint64_t>(actual, (lanes_of(p.active).size() * p.width + 31) / 32);
}

/// A sector is worked on once for each lane on its most wanted word.
inline std::uint64_t atomic_sectors(const LanePattern& p) {
  const std::vector<int> lanes = lanes_of(p.active);
  const std::uint64_t word = std::max(p.width, 4u);
  std::uint64_t passes = 0;
  std::vector<std::uint64_t> done;
  for (int i : lanes) {
    const std::uint64_t sector = p.address[i] / 32;
    if (std::find(done.begin(), done.end(), sector) != done.end()) continue;
    done.push_back(sector);
    std::uint64_t most = 0;
    for (int j : lanes) {
      if (p.address[j] / 32 != sector) continue;
      std::uint64_t same = 0;
      for (int k : lanes) same += p.address[k] / word == p.address[j] / word ? 1 : 0;
      most = std::max(most, same);
    }
    passes += most;
  }
  return passes;
}

/// Over the banks, the most distinct words that the lanes want; with `lane_by_lane` equal words count again.
inline std::uint64_t most_in_a_bank(const LanePattern& p, const std::vector<int>& lanes, bool lane_by_lane) {
  std::uint64_t most = 0;
  for (std::uint64_t bank = 0; bank < 32; ++bank) {
    std::vector<std::uint64_t> words;
    for (int i : lanes)
      for (std::uint64_t word = p.address[i] / 4; word <= (p.address[i] + p.width - 1) / 4; ++word)
        if (word % 32 == bank) words.push_back(word);
    most = std::max<std::uint64_t>(most, lane_by_lane ? words.size() : distinct(words));
  }
  return most;
}

inline int phase_lanes(std::uint32_t width) {
  return width <= 4 ? 32 : width == 8 ? 16 : 8;
}

inline bool pairs_agree(const LanePattern& p, int distance) {
  for (int i : lanes_of(p.active)) {
    const int partner = i ^ distance;
    if ((p.active >> partner & 1) != 0 && p.address[i] != p.address[partner]) return false;
  }
  return true;
}

inline Recount wavefronts(const LanePattern& p, bool merges, bool lane_by_lane) {
  int group = phase_lanes(p.width);
  if (merges && group < 32 && (pairs_agree(p, 1) || pairs_agree(p, 2))) group *= 2;
  Recount r;
  for (int first = 0; first < 32; first += group) {
    const std::vector<int> lanes = lanes_of(p.active, first, group);
    if (lanes.empty()) continue;
    r.actual += most_in_a_bank(p, lanes, lane_by_lane);
    r.ideal += 1;
  }
  return r;
}

/// Lanes whose copies go to shared memory in different rounds do not share a fetched sector.
inline Recount copied_sectors(const LanePattern& source, const LanePattern& destination) {
  Recount r;
  const std::uint64_t together = sectors(source, lanes_of(source.active));
  const Recount shared = wavefronts(destination, false, false);
  if (shared.actual == shared.ideal) {
    r.actual = together;
  } else {
    const int group = phase_lanes(destination.width);
    const std::uint64_t columns = 128 / std::max<std::uint64_t>(destination.width, 4);
    for (int first = 0; first < 32; first += group) {
      std::vector<int> waiting = lanes_of(source.active, first, group);
      while (!waiting.empty()) {
        std::vector<int> served, left;
        for (int i : waiting) {
          const auto clashes = [&](int other) {
            const std::uint64_t own = destination.address[i] / destination.width;
            const std::uint64_t theirs = destination.address[other] / destination.width;
            return own != theirs && own % columns == theirs % columns;
          };
          (std::any_of(served.begin(), served.end(), clashes) ? left : served).push_back(i);
        }
        r.actual += sectors(source, served);
        waiting = left;
      }
    }
  }
  r.ideal = ideal_sectors(source, together);
  return r;
}

}  // namespace recounting

/// `destination` is that of an asynchronous copy, else nullptr. A matrix access gives its rows as active
/// lanes of 16 bytes.
inline Recount recount(AccessKind kind, const LanePattern& p, const LanePattern* destination) {
  using namespace recounting;
  switch (kind) {
    case AccessKind::kGlobalLoad:
      if (destination != nullptr) return copied_sectors(p, *destination);
      [[fallthrough]];
    case AccessKind::kGlobalStore:
    case AccessKind::kLocalLoad:
    case AccessKind::kLocalStore: {
      const std::uint64_t actual = sectors(p, lanes_of(p.active));
      return {actual, ideal_sectors(p, actual)};
    }
    case AccessKind::kGlobalAtomic:
      return {atomic_sectors(p), ideal_sectors(p, sectors(p, lanes_of(p.active)))};
    case AccessKind::kSharedLoad:
      return wavefronts(p, true, false);
    case AccessKind::kSharedAtomic:
      return wavefronts(p, false, true);
    case AccessKind::kSharedStore:
    case AccessKind::kAsyncCopyShared:
    case AccessKind::kMatrixLoad:
    case AccessKind::kMatrixStore:
      return wavefronts(p, false, false);
  }
  throw std::logic_error("an access of no kind");
}

}  // namespace gpuprobe::testing
