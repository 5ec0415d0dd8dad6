// The arithmetic behind the limiter table, resource by resource, with its intermediate numbers. table() takes
// the minimum; explain() puts the same numbers into words, so the two cannot disagree.
//
//   RegisterUse r = register_use(device, usage);   // r.per_warp, r.warps_per_scheduler, r.blocks
#pragma once

#include <cstdint>

#include "core/device_spec.h"
#include "model/occupancy/calculator.h"

namespace gpuprobe::occupancy {

/// Warps that a block occupies; 0 for a block without threads.
int warps_per_block(const Usage& usage);

struct RegisterUse {
  int per_warp = 0;   ///< registers of one warp, rounded up to the allocation unit
  int per_block = 0;  ///< what one block is given
  int checked_per_block =
      0;                  ///< what the launch check assumes: warps rounded up to a multiple of the schedulers
  int per_scheduler = 0;  ///< registers that one scheduler owns
  int warps_per_scheduler = 0;  ///< warps that fit beside each other on one scheduler
  int blocks = 0;
};
RegisterUse register_use(const DeviceSpec& device, const Usage& usage);

struct SharedUse {
  std::uint64_t requested = 0;        ///< static + dynamic
  std::uint64_t per_block = 0;        ///< with the reserved part, rounded up to the allocation unit
  std::uint64_t limit_per_block = 0;  ///< the most that one block can have, the reserved part included
  int blocks = 0;                     ///< at the largest carve-out
};
SharedUse shared_use(const DeviceSpec& device, const Usage& usage);

/// Blocks that a carve-out of `bytes` holds; kUnlimitedBlocks if a block takes nothing, 0 if one cannot have
/// so much.
int shared_blocks(const SharedUse& use, std::uint64_t bytes);

}  // namespace gpuprobe::occupancy
