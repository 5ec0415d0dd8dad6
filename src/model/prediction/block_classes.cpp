#include "model/prediction/block_classes.h"

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

std::uint64_t BlockClass::sample(std::uint64_t i) const {
  const std::uint64_t total = size();
  // Start in the middle: for one block, that is the most typical one. The product fits: grids have < 2^63
  // blocks.
  const auto spread = static_cast<Wide>(i) * spreading_step(total) + total / 2;
  std::uint64_t place = static_cast<std::uint64_t>(spread % total);
  std::array<std::uint64_t, 3> at{};
  for (std::size_t d = 0; d < 3; ++d) {
    at[d] = first_[d] + place % count_[d];
    place /= count_[d];
  }
  return at[0] + grid_.x * (at[1] + grid_.y * at[2]);
}

std::vector<BlockClass> block_classes(const Dim3& grid) {
  std::vector<BlockClass> classes;
  if (grid.count() == 0) return classes;
  for (const Range& z : ranges_of(grid.z))
    for (const Range& y : ranges_of(grid.y))
      for (const Range& x : ranges_of(grid.x))
        classes.emplace_back(grid, std::array{x.first, y.first, z.first},
                             std::array{x.count, y.count, z.count});
  std::stable_sort(classes.begin(), classes.end(),
                   [](const BlockClass& a, const BlockClass& b) { return a.size() < b.size(); });
  return classes;
}

}  // namespace gpuprobe::prediction
