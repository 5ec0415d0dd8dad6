// Two runs side by side: what changed, how much faster, and whether the verdict did.
//
//   std::string text = compare_runs(before, after);
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/report.h"

namespace gpuprobe::cli {

/// Pairs the runs of two reports: by kernel and options where both have the same invocation, else in order.
/// Runs of the longer report that are left over stay unpaired.
std::vector<std::pair<const DiagnosedRun*, const DiagnosedRun*>> pair_runs(
    std::span<const DiagnosedRun> before, std::span<const DiagnosedRun> after);

/// Options, verdicts, time ratio, and every metric that differs, as text of at most 80 columns where names
/// allow.
std::string compare_runs(const DiagnosedRun& before, const DiagnosedRun& after);

}  // namespace gpuprobe::cli
