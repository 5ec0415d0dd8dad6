#include "model/prediction/block_box.h"

#include <algorithm>
#include <numeric>

namespace gpuprobe::prediction {
namespace {

__extension__ using Wide = unsigned __int128;

struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
};

std::vector<Range> ranges_of(std::uint32_t blocks) {
  if (blocks <= 1) return {{0, blocks}};
  if (blocks == 2) return {{0, 1}, {1, 1}};
  return {{0, 1}, {1, blocks - 2}, {blocks - 1, 1}};
}

/// A step through 0..size-1 that visits everything once and spreads from the start: near the golden ratio,
/// coprime.
std::uint64_t spreading_step(std::uint64_t size) {
  auto step = static_cast<std::uint64_t>(static_cast<double>(size) * 0.6180339887498949);
  step = std::max<std::uint64_t>(step, 1);
  while (std::gcd(step, size) != 1) ++step;
  return step;
}

}  // namespace

bool BlockBox::contains(const BlockPosition& position) const {
  for (std::size_t d = 0; d < 3; ++d)
    if (position[d] < first[d] || position[d] - first[d] >= count[d]) return false;
  return true;
}

BlockPosition BlockBox::spread(std::uint64_t i) const {
  const std::uint64_t total = size();
  // The middle comes first: for a single block that is the most typical one.
  auto place = static_cast<std::uint64_t>((static_cast<Wide>(i) * spreading_step(total) + total / 2) % total);
  BlockPosition at{};
  for (std::size_t d = 0; d < 3; ++d) {
    at[d] = first[d] + static_cast<std::uint32_t>(place % count[d]);
    place /= count[d];
  }
  return at;
}

std::vector<BlockPosition> BlockBox::corners() const {
  std::vector<BlockPosition> all;
  for (unsigned side = 0; side < 8; ++side) {
    BlockPosition at = first;
    bool distinct = true;
    for (std::size_t d = 0; d < 3; ++d) {
      if (!(side >> d & 1)) continue;
      distinct = distinct && count[d] > 1;
      at[d] = first[d] + count[d] - 1;
    }
    if (distinct) all.push_back(at);
  }
  return all;
}

std::pair<BlockBox, BlockBox> BlockBox::split(std::size_t dimension) const {
  BlockBox low = *this;
  BlockBox high = *this;
  low.count[dimension] = count[dimension] / 2;
  high.first[dimension] += low.count[dimension];
  high.count[dimension] -= low.count[dimension];
  return {low, high};
}

std::vector<BlockBox> position_boxes(const Dim3& grid) {
  std::vector<BlockBox> boxes;
  if (grid.count() == 0) return boxes;
  for (const Range& z : ranges_of(grid.z))
    for (const Range& y : ranges_of(grid.y))
      for (const Range& x : ranges_of(grid.x))
        boxes.push_back({{x.first, y.first, z.first}, {x.count, y.count, z.count}});
  std::stable_sort(boxes.begin(), boxes.end(),
                   [](const BlockBox& a, const BlockBox& b) { return a.size() < b.size(); });
  return boxes;
}

}  // namespace gpuprobe::prediction
