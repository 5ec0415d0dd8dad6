// A launch configuration: how many blocks of how many threads, and with how much dynamic shared memory.
#pragma once

#include <cstdint>

namespace gpuprobe {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

struct Launch {
  Dim3 grid;                         ///< blocks
  Dim3 block;                        ///< threads
  std::uint32_t dynamic_shared = 0;  ///< bytes per block
  Dim3 cluster;                      ///< blocks per cluster; 1,1,1 = no cluster

  /// Warps of 32 lanes that one block occupies (the last may be partial).
  std::uint64_t warps_per_block() const { return (block.count() + 31) / 32; }
  bool operator==(const Launch&) const = default;
};

}  // namespace gpuprobe
