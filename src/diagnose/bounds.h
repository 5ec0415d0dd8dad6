// What bounds a kernel that has no limiting finding.
#pragma once

#include <string>
#include <vector>

#include "core/finding.h"
#include "diagnose/context.h"

namespace gpuprobe::diagnose {

/// "dram-bound", "l2-bound", "lsu-bound", "issue-bound" or "latency-bound", with the utilisation that says
/// so; "inconclusive" if nothing about the units is known.
Verdict healthy_verdict(const Context& context);
/// The limits that decide it with their reasons, for `gpuprobe explain`.
std::vector<std::string> bound_thresholds();

}  // namespace gpuprobe::diagnose
