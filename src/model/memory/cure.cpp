#include "model/memory/cure.h"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "model/memory/cost.h"

namespace gpuprobe::memory {
namespace {

constexpr std::uint32_t kRowOfBanks = kBanks * kBankBytes;
constexpr std::uint32_t kMaxSwizzleShift = 5;  // rows beyond 32 cannot meet in one warp access

SharedCost cost_of(const SharedUsePattern& use) {
  return use.is_load ? shared_load_cost(use.lanes) : shared_store_cost(use.lanes);
}

/// A lane's place in the array.
struct Place {
  std::uint64_t row = 0;
  std::uint64_t byte = 0;  ///< inside the row
};

Place place_of(std::uint64_t address, const ArrayShape& shape) {
  const std::uint64_t offset = address - shape.base;
  return {offset / shape.pitch_bytes, offset % shape.pitch_bytes};
}

/// `use` and its copies at the other columns that keep all lanes inside their rows, at most `count` of them,
/// `step` bytes apart.
std::vector<SharedUsePattern> moved_along_the_row(const SharedUsePattern& use, const ArrayShape& shape,
                                                  std::uint32_t step, std::uint32_t count) {
  std::uint64_t first = shape.pitch_bytes;
  std::uint64_t last = 0;
  for (std::uint32_t rest = use.lanes.active; rest != 0; rest &= rest - 1) {
    const Place place = place_of(use.lanes.address[std::countr_zero(rest)], shape);
    first = std::min(first, place.byte);
    last = std::max(last, place.byte + use.lanes.width);
  }
  std::vector<SharedUsePattern> copies{use};
  const auto add = [&](std::int64_t distance) {
    SharedUsePattern copy = use;
    for (std::uint64_t& address : copy.lanes.address) address += static_cast<std::uint64_t>(distance);
    copies.push_back(copy);
  };
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint64_t distance = std::uint64_t{i} * step;
    if (last + distance <= shape.pitch_bytes) add(static_cast<std::int64_t>(distance));
    if (first >= distance) add(-static_cast<std::int64_t>(distance));
  }
  return copies;
}

/// True if all patterns reach their ideal when each address goes through `move`.
template <class Move>
bool all_ideal(const std::vector<SharedUsePattern>& uses, const ArrayShape& shape, Move move) {
  for (const SharedUsePattern& use : uses) {
    SharedUsePattern moved = use;
    for (std::uint32_t rest = use.lanes.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      moved.lanes.address[lane] = move(place_of(use.lanes.address[lane], shape));
      if (moved.lanes.address[lane] % use.lanes.width != 0) return false;
    }
    const SharedCost cost = cost_of(moved);
    if (cost.wavefronts > cost.ideal) return false;
  }
  return true;
}

std::optional<int> smallest_pad(std::span<const SharedUsePattern> uses, const ArrayShape& shape) {
  std::vector<SharedUsePattern> all;
  // A move by whole words only turns the banks, so the moves inside one word are enough.
  const std::uint32_t per_word = std::max<std::uint32_t>(1, kBankBytes / shape.element_bytes);
  for (const SharedUsePattern& use : uses)
    for (const SharedUsePattern& copy :
         moved_along_the_row(use, shape, std::max(shape.element_bytes, use.lanes.width), per_word))
      all.push_back(copy);
  for (std::uint32_t pad = 1; pad * shape.element_bytes <= kRowOfBanks; ++pad) {
    const std::uint64_t pitch = shape.pitch_bytes + std::uint64_t{pad} * shape.element_bytes;
    if (all_ideal(all, shape, [&](Place place) { return shape.base + place.row * pitch + place.byte; }))
      return static_cast<int>(pad);
  }
  return std::nullopt;
}

std::optional<XorSwizzle> smallest_swizzle(std::span<const SharedUsePattern> uses, const ArrayShape& shape) {
  const std::uint32_t columns = shape.pitch_bytes / shape.element_bytes;
  if (!std::has_single_bit(columns) || !std::has_single_bit(shape.element_bytes)) return std::nullopt;
  std::uint32_t widest = shape.element_bytes;
  for (const SharedUsePattern& use : uses) widest = std::max(widest, use.lanes.width);
  const std::uint32_t granule = widest / shape.element_bytes;  // columns that must stay together
  const std::uint32_t used = std::min(columns, kRowOfBanks / shape.element_bytes);

  std::vector<SharedUsePattern> all;
  for (const SharedUsePattern& use : uses)
    for (const SharedUsePattern& copy : moved_along_the_row(use, shape, widest, used / granule))
      all.push_back(copy);

  std::vector<std::uint32_t> masks;
  for (std::uint32_t mask = 1; mask < used / granule; ++mask) masks.push_back(mask);
  std::stable_sort(masks.begin(), masks.end(),
                   [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) < std::popcount(b); });
  for (std::uint32_t mask : masks)
    for (std::uint32_t shift = 0; shift <= kMaxSwizzleShift; ++shift)
      if (all_ideal(all, shape, [&](Place place) {
            const std::uint64_t moved = (place.row >> shift & mask) * widest;
            return shape.base + place.row * shape.pitch_bytes + (place.byte ^ moved);
          }))
        return XorSwizzle{mask, shift, granule};
  return std::nullopt;
}

}  // namespace

std::optional<ArrayShape> guess_shape(std::span<const SharedUsePattern> uses) {
  ArrayShape shape;
  shape.element_bytes = 0;
  for (const SharedUsePattern& use : uses)
    if (use.lanes.active != 0 && (shape.element_bytes == 0 || use.lanes.width < shape.element_bytes))
      shape.element_bytes = use.lanes.width;
  std::map<std::uint64_t, int> steps;
  for (const SharedUsePattern& use : uses)
    for (int lane = 0; lane + 1 < kWarpLanes; ++lane) {
      if ((use.lanes.active >> lane & 3) != 3) continue;
      const std::uint64_t a = use.lanes.address[lane];
      const std::uint64_t b = use.lanes.address[lane + 1];
      const std::uint64_t step = a < b ? b - a : a - b;
      if (step > use.lanes.width && step % shape.element_bytes == 0 && step <= UINT32_MAX) ++steps[step];
    }
  const auto most = std::max_element(steps.begin(), steps.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == steps.end()) return std::nullopt;
  shape.pitch_bytes = static_cast<std::uint32_t>(most->first);
  return shape;
}

LayoutCure search_cure(std::span<const SharedUsePattern> uses, const ArrayShape& shape) {
  LayoutCure cure;
  for (const SharedUsePattern& use : uses) {
    const SharedCost cost = cost_of(use);
    cure.wavefronts_before += cost.wavefronts;
    cure.ideal += cost.ideal;
  }
  if (cure.wavefronts_before == cure.ideal) {
    cure.pad_elements = 0;
    return cure;
  }
  if (shape.element_bytes == 0 || shape.pitch_bytes == 0 || shape.pitch_bytes % shape.element_bytes != 0)
    return cure;
  cure.pad_elements = smallest_pad(uses, shape);
  cure.swizzle = smallest_swizzle(uses, shape);
  return cure;
}

}  // namespace gpuprobe::memory
