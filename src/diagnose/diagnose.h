// Turns the numbers of a run into one verdict and findings. Pure: the same run gives the same diagnosis,
// whichever source it came from.
//
//   Diagnosis d = diagnose::diagnose(run);
//   d.verdict.kind == "bank-conflict-load"
#pragma once

#include "core/finding.h"
#include "core/run.h"

namespace gpuprobe::diagnose {

/// Examines `run` with every rule, ranks what they found by cost and names one verdict. Never fails: what
/// cannot be decided becomes the verdict "inconclusive" with the reason.
Diagnosis diagnose(const Run& run);

}  // namespace gpuprobe::diagnose
