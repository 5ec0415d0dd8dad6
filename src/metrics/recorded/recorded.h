// Reads what was recorded before: gpuprobe's own JSON reports (and, by its own reader, Nsight Compute exports).
//
//   Result<std::vector<Run>> runs = recorded::read_runs(text, "report.json");
#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/run.h"

namespace gpuprobe::recorded {

/// The runs of a gpuprobe JSON report, numbers with origin kRecorded, run.source kept as written.
/// Errors: kUsage naming `name`, the place (JSON pointer or line) and what was expected. Never throws.
Result<std::vector<Run>> read_runs(std::string_view text, std::string_view name);

}  // namespace gpuprobe::recorded
