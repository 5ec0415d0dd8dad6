// Reads what was recorded before: gpuprobe's own JSON reports and Nsight Compute's CSV exports.
//
//   Result<std::vector<Run>> runs = recorded::read_runs(text, "report.json");
//   (*runs)[0].source == Origin::kRecorded, (*runs)[0].recorded_from == "measured"
#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/run.h"

namespace gpuprobe::recorded {

enum class Format {
  kGpuprobeJson,   ///< written by --format json
  kNsightRawCsv,   ///< `ncu --csv --page raw`: a row a launch, a column a metric, units in the second row
  kNsightLongCsv,  ///< `ncu --csv`: a row a metric ("Metric Name", "Metric Unit", "Metric Value")
  kNsightBinary,   ///< an .ncu-rep file: must be exported first
  kUnknown,
};

/// Tells the formats apart by their first lines. Never fails; kUnknown for anything else.
Format detect(std::string_view text);

/// The runs in `text`, whichever known format it has. Every run has source kRecorded and says in
/// recorded_from what it was; every value has origin kRecorded. Errors: kUsage naming `name`, the place (JSON
/// pointer or line) and what was expected. Never throws.
Result<std::vector<Run>> read_runs(std::string_view text, std::string_view name);

}  // namespace gpuprobe::recorded
