// --baseline: this run against the same run in an earlier report.
//
//   for (const GateOutcome& outcome : compare_with_baseline(runs, earlier)) ...
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/gates.h"
#include "core/report.h"

namespace gpuprobe::cli {

/// Measured time may grow by this factor before it counts as worse: clocks and neighbours move it by a few
/// percent.
inline constexpr double kTimeTolerance = 1.10;

/// Which way a metric gets worse.
enum class Worse { kHigher, kLower };

struct WatchedMetric {
  std::string name;
  Worse worse = Worse::kHigher;
  double tolerance = 1.0;    ///< factor that is still no worse
  bool same_device = false;  ///< compared only if both runs were measured on a device of the same name
};

/// What a baseline watches: exact counts and static facts by any amount, time within kTimeTolerance.
const std::vector<WatchedMetric>& watched_metrics();

/// True if the two are runs of the same kernel with the same options.
bool same_invocation(const Run& a, const Run& b);

/// The baseline's run of the same kernel and options, of the same source if there are several; nullptr if
/// none.
const DiagnosedRun* find_baseline(const Run& run, std::span<const DiagnosedRun> baseline);

/// One outcome for each watched metric that the baseline has, and one for findings that the baseline has not.
/// A number that the baseline has and the run lacks is kMissing; so is a run that the baseline does not hold.
std::vector<GateOutcome> compare_with_baseline(std::span<const DiagnosedRun> runs,
                                               std::span<const DiagnosedRun> baseline);

}  // namespace gpuprobe::cli
