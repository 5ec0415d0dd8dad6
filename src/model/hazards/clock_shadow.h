// Shadow memory for blocks in which named barriers join only some of the warps: vector clocks, one for each
// warp. clock(w)[v] is the latest interval of warp v whose accesses are ordered before what warp w does now.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/hazards/epoch_shadow.h"
#include "model/hazards/shared_accesses.h"

namespace gpuprobe::hazards {

class ClockShadow {
 public:
  /// Takes over the first `pieces` of a block that has run with full barriers until now.
  ClockShadow(int warps, std::size_t pieces, const EpochShadow& from);

  void barrier(const std::vector<bool>& joined);
  void split(std::size_t parts);
  void touch(const Touch& touch, ConflictLog& log);

 private:
  static constexpr int kMaxWarps = 32;
  using Times = std::array<std::uint32_t, kMaxWarps>;  ///< 0 = not since the last store

  struct Cell {
    Times read{};
    Times write{};
    Times atomic{};
    std::array<std::int32_t, kMaxWarps> read_instruction{};
    std::int32_t write_instruction = -1;
    std::int32_t atomic_instruction = -1;
    bool written = false;
  };

  /// The first warp other than `warp` with an access in `times` that is not ordered before `warp`'s now; -1
  /// if none.
  int unordered(const Times& times, int warp) const;

  int warps_;
  std::array<Times, kMaxWarps> clocks_{};
  std::vector<Cell> cells_;
};

}  // namespace gpuprobe::hazards
