// Which sectors of the buffers have been touched at all: the bytes that DRAM must deliver or take at least
// once. Shared by all workers; a sector is counted by whoever touches it first.
//
//   TouchedSectors loads(memory);
//   loads.touch(pattern);   loads.new_sectors(allocation)      // since the last take_new()
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/site.h"
#include "model/simt/machine.h"

namespace gpuprobe::prediction {

class TouchedSectors {
 public:
  explicit TouchedSectors(const simt::DeviceMemory& memory);

  /// Marks the sectors of all active lanes. Addresses outside the allocations are ignored.
  void touch(const LanePattern& pattern);
  /// Sectors of allocation `i` touched for the first time since the last call.
  std::uint64_t take_new(std::size_t i);
  std::size_t allocations() const { return areas_.size(); }
  std::uint64_t sectors_of(std::size_t i) const { return areas_[i].sectors; }
  /// Allocation of the last touched lane of `pattern`; -1 if it lies in none.
  int allocation_of(std::uint64_t address) const;

 private:
  struct Area {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t sectors = 0;
    std::unique_ptr<std::atomic<std::uint64_t>[]> bits;
    std::unique_ptr<std::atomic<std::uint64_t>> fresh;
  };

  void mark(Area& area, std::uint64_t word, std::uint64_t bits);

  std::vector<Area> areas_;  ///< ascending
};

}  // namespace gpuprobe::prediction
