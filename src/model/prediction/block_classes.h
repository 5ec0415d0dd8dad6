// Blocks that are likely to do the same: those at the first, the last and the inner positions of each grid
// dimension. A few blocks of each class stand for all of it, if they agree.
//
//   for (const BlockClass& c : block_classes({128, 128, 1})) ...     // 9 classes: 4 corners, 4 edges, the
//   interior
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/launch.h"

namespace gpuprobe::prediction {

class BlockClass {
 public:
  /// Positions [first, first + count) in each dimension of a grid.
  BlockClass(const Dim3& grid, std::array<std::uint32_t, 3> first, std::array<std::uint32_t, 3> count)
      : grid_(grid), first_(first), count_(count) {}

  std::uint64_t size() const { return std::uint64_t{count_[0]} * count_[1] * count_[2]; }
  /// Linear index (x fastest) of the `i`-th block to sample, i < size(): all blocks of the class in an order
  /// that spreads over it, the same on every machine.
  std::uint64_t sample(std::uint64_t i) const;

 private:
  Dim3 grid_;
  std::array<std::uint32_t, 3> first_;
  std::array<std::uint32_t, 3> count_;
};

/// All classes, smallest first; together they hold each block once.
std::vector<BlockClass> block_classes(const Dim3& grid);

}  // namespace gpuprobe::prediction
