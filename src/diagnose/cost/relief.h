// Work that a cure takes away from the units of the GPU: what a rule knows of its finding, and what the cost
// model turns into a gain.
//
//   Gain gain = cost.gain_without({.lsu_wavefronts = 16252928});
#pragma once

#include "diagnose/cost/range.h"

namespace gpuprobe::diagnose {

struct Relief {
  double dram_share = 0;      ///< of all DRAM traffic
  Range l2_share;             ///< of all L2 traffic; a range, because L1 hides an unknown part of it
  double tag_lines = 0;       ///< L1 tag look-ups
  double lsu_wavefronts = 0;  ///< shared-memory wavefronts
  double issue_share = 0;     ///< of all instructions
  /// The cure gives threads other work, and so may launch as many as fill the GPU: the latency that few warps
  /// cannot hide goes with it.
  bool spreads_work = false;
  bool of_stores =
      false;  ///< the accesses are stores: warps wait for them when they leave, not when they use
};

}  // namespace gpuprobe::diagnose
