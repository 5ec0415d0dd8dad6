#include <algorithm>

#include "model/simt/machine.h"
#include "model/simt/program_image.h"

namespace gpuprobe::simt {
namespace {

// Allocations lie far apart, so that an index that is wrong by any 32-bit amount of elements of 4 bytes falls
// between them and is seen.
constexpr std::uint64_t kGap = std::uint64_t{16} << 30;
constexpr std::uint64_t kAlignment = 256;  // cudaMalloc's

}  // namespace

std::uint64_t DeviceMemory::map(std::string name, std::span<std::byte> bytes, bool track_writes) {
  std::uint64_t address = kGlobalBase;
  if (!allocations_.empty()) {
    const Allocation& last = allocations_.back();
    address = (last.address + last.bytes.size() + kGap + kAlignment - 1) / kAlignment * kAlignment;
  }
  Allocation allocation{std::move(name), address, bytes, {}, false};
  if (track_writes) allocation.written.resize((bytes.size() + 255) / 256);
  allocations_.push_back(std::move(allocation));
  return address;
}

std::uint64_t DeviceMemory::variable(const std::string& name, std::uint64_t bytes, bool& is_new) {
  is_new = false;
  for (const Allocation& known : allocations_)
    if (known.is_variable && known.name == name && known.bytes.size() == bytes) return known.address;
  is_new = true;
  const std::uint64_t address = map(name, variables_.emplace_back(bytes), false);
  allocations_.back().is_variable = true;
  return address;
}

DeviceMemory::Allocation* DeviceMemory::find(std::uint64_t address, std::uint64_t width) {
  const auto next = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                     [](std::uint64_t a, const Allocation& b) { return a < b.address; });
  if (next == allocations_.begin()) return nullptr;
  Allocation& candidate = *std::prev(next);
  const std::uint64_t offset = address - candidate.address;
  if (offset > candidate.bytes.size() || candidate.bytes.size() - offset < width) return nullptr;
  return &candidate;
}

bool DeviceMemory::is_written(std::size_t allocation, std::uint64_t byte_offset) const {
  const auto& written = allocations_[allocation].written;
  const std::uint64_t bit = byte_offset / 4;
  return bit / 64 < written.size() && (written[bit / 64] >> (bit % 64) & 1) != 0;
}

}  // namespace gpuprobe::simt
