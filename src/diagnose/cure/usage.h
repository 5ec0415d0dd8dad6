// The resources of a run's heaviest launch, as the occupancy calculator takes them.
#pragma once

#include <optional>

#include "core/run.h"
#include "model/occupancy/calculator.h"

namespace gpuprobe::diagnose {

/// nullopt if the run has no occupancy table or the device's limits are not known.
std::optional<occupancy::Usage> usage_of(const Run& run);

/// What `extra` bytes of shared memory a block do to residency: "2 blocks per SM as before", "5 blocks per SM
/// in place of 6". "" if that cannot be told.
std::string residency_after(const Run& run, std::uint32_t extra);

}  // namespace gpuprobe::diagnose
