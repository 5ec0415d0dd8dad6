#include "model/hazards/warp_clocks.h"

#include <algorithm>

namespace gpuprobe::hazards {
namespace {

void join(WarpClocks::Times& times, const WarpClocks::Times& other) {
  for (std::size_t v = 0; v < times.size(); ++v) times[v] = std::max(times[v], other[v]);
}

bool is_empty(const WarpClocks::Times& times) {
  return std::all_of(times.begin(), times.end(), [](std::uint32_t time) { return time == 0; });
}

}  // namespace

WarpClocks::WarpClocks(int warps) : warps_(warps) {
  for (std::size_t w = 0; w < index(warps_); ++w) clocks_[w][w] = 1;
}

void WarpClocks::barrier(const std::vector<bool>& joined) {
  const auto joins = [&](std::size_t w) { return w < joined.size() && joined[w]; };
  Times all{};
  for (std::size_t w = 0; w < index(warps_); ++w)
    if (joins(w)) join(all, clocks_[w]);
  for (std::size_t w = 0; w < index(warps_); ++w)
    if (joins(w)) {
      clocks_[w] = all;
      ++clocks_[w][w];
    }
}

void WarpClocks::fence(int warp, simt::MemoryOrder order) {
  const std::size_t w = index(warp);
  if (order.acquires) join(clocks_[w], seen_[w]);
  if (!order.releases) return;
  fenced_[w] = clocks_[w];
  ++clocks_[w][w];
}

void WarpClocks::strong_write(int warp, std::uint64_t object, bool reads_too, simt::MemoryOrder order) {
  const std::size_t w = index(warp);
  Times given = order.releases ? clocks_[w] : fenced_[w];
  if (order.releases) ++clocks_[w][w];
  const auto before = released_.find(object);
  if (reads_too && before != released_.end()) join(given, before->second);
  if (!is_empty(given)) {
    released_[object] = given;
  } else if (before != released_.end()) {
    released_.erase(before);
  }
}

void WarpClocks::strong_read(int warp, std::uint64_t object, simt::MemoryOrder order) {
  const auto found = released_.find(object);
  if (found == released_.end()) return;
  join(seen_[index(warp)], found->second);
  if (order.acquires) join(clocks_[index(warp)], found->second);
}

}  // namespace gpuprobe::hazards
