// Does the result depend on the order in which blocks run? Runs the kernel again, last block first, and
// compares.
#pragma once

#include <optional>

#include "core/buffers.h"
#include "core/kernel.h"
#include "core/run.h"

namespace gpuprobe::prediction {

/// The hazard, if a buffer differs between two complete runs: integers and bytes must be equal, floats within
/// the bound of the kernel's own check (atomic sums may round differently), or 1e-4 of the larger value where
/// there is none.
std::optional<Hazard> compare_orders(const Kernel& kernel, const HostBuffers& forwards,
                                     const HostBuffers& backwards);

}  // namespace gpuprobe::prediction
