// Theoretical occupancy from static facts: the same arithmetic as NVIDIA's cuda_occupancy.h, with every
// limiter and every tie named. Needs no GPU.
//
//   OccupancyTable t = occupancy::table(spec, {256, 40, 8192, 0, 1}, grid_blocks);
//   t.blocks_per_sm, t.limiters, t.theoretical_percent
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device_spec.h"
#include "core/occupancy.h"
#include "core/result.h"

namespace gpuprobe::occupancy {

struct Usage {
  int threads_per_block = 0;
  int registers_per_thread = 0;
  std::uint32_t shared_static = 0;   ///< bytes
  std::uint32_t shared_dynamic = 0;  ///< bytes
  int barriers = 0;
};

/// The limiter table at the largest carve-out. A resource that the launch does not use has kUnlimitedBlocks.
/// blocks_per_sm is 0 if the launch cannot run at all. Dynamic shared memory above 48 KiB is taken as opted
/// in. Source of the arithmetic: cuda_occupancy.h of the CUDA toolkit 13.0, against which it is tested.
OccupancyTable table(const DeviceSpec& device, const Usage& usage, std::uint64_t grid_blocks);

/// One change that buys at least one more resident block.
struct NextStep {
  std::string text;  ///< "at most 40 registers (now 48): 6 blocks per SM, 75 %"
  int blocks_per_sm = 0;
  double theoretical_percent = 0;
};
/// The single changes that help, cheapest kind first (registers, shared memory, barriers, block size); if
/// only several together help, that one combination. Empty if the SM is full, or nothing helps.
std::vector<NextStep> next_steps(const DeviceSpec& device, const Usage& usage);

}  // namespace gpuprobe::occupancy
