// Turns the readings of one exported launch into a run: launch, resources, device limits, and every metric of
// the catalog that the export has or determines.
#pragma once

#include <string>

#include "core/run.h"
#include "metrics/recorded/nsight_readings.h"

namespace gpuprobe::recorded {

/// Errors are one clause ("it has no grid size").
tl::expected<Run, std::string> run_of(const NsightLaunch& launch, NumberStyle style);

/// Sets all metrics of run.counters (the launch and the resources are already in `run`), and the notes about
/// them.
void add_nsight_metrics(Run& run, const Readings& readings);

}  // namespace gpuprobe::recorded
