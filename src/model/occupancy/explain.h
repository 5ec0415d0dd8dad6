// The limiter table in words: the arithmetic of each resource with its intermediate numbers, and why the
// division that one does in the head gives another answer.
//
//   for (const Explanation& e : occupancy::explain(device, usage)) ...
//   registers: "40 registers x 32 lanes = 1280 a warp (a multiple of 256); a scheduler has 16384 registers:
//   12 warps;
//               4 schedulers: 48 warps; 8 warps a block: 6 blocks"
//   shared, naive: "228 KiB / 8 KiB = 28 forgets the 1024 bytes that the system takes for each block: 25"
#pragma once

#include <string>
#include <vector>

#include "model/occupancy/calculator.h"

namespace gpuprobe::occupancy {

struct Explanation {
  Resource resource = Resource::kWarps;
  int blocks = 0;          ///< the limit, as in the table
  std::string arithmetic;  ///< how the limit comes about, one sentence without a full stop
  std::string naive;       ///< why the plain division differs; empty if it does not
};

/// One entry for each row of table(device, usage, 0).limits, in that order.
std::vector<Explanation> explain(const DeviceSpec& device, const Usage& usage);

}  // namespace gpuprobe::occupancy
