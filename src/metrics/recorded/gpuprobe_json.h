// Reads the JSON that `gpuprobe --format json` writes (docs/report.schema.json), every field back.
#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/run.h"

namespace gpuprobe::recorded {

/// The runs of a report of schema version 1, with source and origins kRecorded. Keys that this version does
/// not know are ignored. Errors: kUsage with the JSON pointer (or line and column) of the first thing that is
/// wrong, also for a key that occurs twice and for nesting deeper than kDeepestNesting. Never throws.
Result<std::vector<Run>> read_gpuprobe_json(std::string_view text, std::string_view name);

/// A calibration as report::calibration_file() writes it, if it is of the device `device_name`. Errors:
/// kUsage with the place; another device's is one.
Result<Calibration> read_calibration_file(std::string_view text, std::string_view name,
                                          std::string_view device_name);

/// A report is nested 8 deep; more than this is not a report.
inline constexpr int kDeepestNesting = 32;

}  // namespace gpuprobe::recorded
