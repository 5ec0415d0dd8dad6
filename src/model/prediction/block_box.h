// Boxes of blocks: a range of positions in each dimension of the grid. Blocks of one box are likely to do the
// same; a few of them stand for all, if they agree, and a box whose blocks differ can be split.
//
//   for (const BlockBox& box : position_boxes({128, 128, 1})) ...     // 9: 4 corners, 4 edges, the inside
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/launch.h"

namespace gpuprobe::prediction {

using BlockPosition = std::array<std::uint32_t, 3>;

struct BlockBox {
  BlockPosition first{};
  BlockPosition count{1, 1, 1};

  std::uint64_t size() const { return std::uint64_t{count[0]} * count[1] * count[2]; }
  bool contains(const BlockPosition& position) const;
  /// The `i`-th of all positions in an order that spreads over the box, the same everywhere; i < size().
  BlockPosition spread(std::uint64_t i) const;
  /// The distinct outermost positions: up to two in each dimension. The first and the last are opposite.
  std::vector<BlockPosition> corners() const;
  /// Two halves along a dimension with more than one position.
  std::pair<BlockBox, BlockBox> split(std::size_t dimension) const;
};

/// The whole grid, cut at its first and last position in each dimension; smallest box first.
std::vector<BlockBox> position_boxes(const Dim3& grid);

/// Linear block index, x fastest.
inline std::uint64_t linear_index(const Dim3& grid, const BlockPosition& at) {
  return at[0] + std::uint64_t{grid.x} * (at[1] + std::uint64_t{grid.y} * at[2]);
}

}  // namespace gpuprobe::prediction
