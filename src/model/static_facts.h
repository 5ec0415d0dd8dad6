// What is known of a run without executing or measuring it: resources, launch geometry, theoretical
// occupancy. The same for every source, so that a prediction and a measurement cannot differ in them.
//
//   Run run = *source.collect(...);
//   add_static_facts(run);           // run.occupancy, "occupancy.theoretical", "launch.registers" ...
#pragma once

#include "core/run.h"

namespace gpuprobe {

/// Fills run.occupancy (one table for each distinct (entry, launch), most threads over all
/// its launches first) and the metrics
/// occupancy.theoretical, occupancy.limiter,
/// occupancy.blocks_per_sm[.warps|.blocks|.registers|.shared|.barriers] and launch.* of the first of them,
/// with the origin of the run. What cannot be known (no compiled resources, a device without known limits, a
/// resource that does not limit) is missing with the reason, unless the source set it itself.
void add_static_facts(Run& run);

}  // namespace gpuprobe
