#include "model/prediction/touched_sectors.h"

#include <algorithm>
#include <bit>

#include "model/memory/cost.h"

namespace gpuprobe::prediction {

TouchedSectors::TouchedSectors(const simt::DeviceMemory& memory) {
  for (const auto& allocation : memory.allocations()) {
    Area& area = areas_.emplace_back();
    area.begin = allocation.address;  // 256-byte aligned
    area.end = allocation.address + allocation.bytes.size();
    area.sectors = (allocation.bytes.size() + memory::kSectorBytes - 1) / memory::kSectorBytes;
    area.bits = std::make_unique<std::atomic<std::uint64_t>[]>(area.sectors / 64 + 1);
    area.fresh = std::make_unique<std::atomic<std::uint64_t>>(0);
  }
}

int TouchedSectors::allocation_of(std::uint64_t address) const {
  for (std::size_t i = 0; i < areas_.size(); ++i)
    if (address >= areas_[i].begin && address < areas_[i].end) return static_cast<int>(i);
  return -1;
}

void TouchedSectors::mark(Area& area, std::uint64_t word, std::uint64_t bits) {
  if ((area.bits[word].load(std::memory_order_relaxed) & bits) == bits) return;
  const std::uint64_t before = area.bits[word].fetch_or(bits, std::memory_order_relaxed);
  area.fresh->fetch_add(static_cast<std::uint64_t>(std::popcount(bits & ~before)), std::memory_order_relaxed);
}

void TouchedSectors::touch(const LanePattern& pattern) {
  Area* area = nullptr;
  std::uint64_t word = 0;
  std::uint64_t bits = 0;  // sectors of `word` gathered so far
  for (std::uint32_t rest = pattern.active; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = pattern.address[std::countr_zero(rest)];
    if (!area || address < area->begin || address >= area->end) {
      if (area && bits) mark(*area, word, bits);
      bits = 0;
      const int found = allocation_of(address);
      area = found < 0 ? nullptr : &areas_[static_cast<std::size_t>(found)];
      if (!area) continue;
    }
    const std::uint64_t last_byte = std::min(address + pattern.width, area->end) - 1;
    for (std::uint64_t sector = (address - area->begin) / memory::kSectorBytes;
         sector <= (last_byte - area->begin) / memory::kSectorBytes; ++sector) {
      if (bits && sector / 64 != word) {
        mark(*area, word, bits);
        bits = 0;
      }
      word = sector / 64;
      bits |= std::uint64_t{1} << (sector % 64);
    }
  }
  if (area && bits) mark(*area, word, bits);
}

std::uint64_t TouchedSectors::take_new(std::size_t i) {
  return areas_[i].fresh->exchange(0, std::memory_order_relaxed);
}

}  // namespace gpuprobe::prediction
