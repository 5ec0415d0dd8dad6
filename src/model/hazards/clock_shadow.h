// Shadow memory for blocks in which not every order comes from a barrier of all warps: each piece keeps when,
// on the clocks of its warps, it was read and written.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/hazards/epoch_shadow.h"
#include "model/hazards/shared_accesses.h"
#include "model/hazards/warp_clocks.h"

namespace gpuprobe::hazards {

class ClockShadow {
 public:
  /// Takes over the first `pieces` of a block that has run with full barriers until now.
  ClockShadow(int warps, std::size_t pieces, const EpochShadow& from);

  WarpClocks& clocks() { return clocks_; }
  void split(std::size_t parts);
  void touch(const Touch& touch, ConflictLog& log);

 private:
  static constexpr int kMaxWarps = WarpClocks::kMaxWarps;
  using Times = WarpClocks::Times;  ///< 0 = not since the last weak write

  struct Cell {
    Times read{};  ///< weak
    Times write{};
    Times strong_read{};
    Times strong_write{};
    std::array<std::int32_t, kMaxWarps> read_instruction{};
    std::int32_t write_instruction = -1;
    std::int32_t strong_read_instruction = -1;
    std::int32_t strong_write_instruction = -1;
    bool written = false;
  };

  /// The first warp other than `warp` with an access in `times` that is not ordered before `warp`'s now; -1
  /// if none.
  int unordered(const Times& times, int warp) const;

  WarpClocks clocks_;
  std::vector<Cell> cells_;
};

}  // namespace gpuprobe::hazards
