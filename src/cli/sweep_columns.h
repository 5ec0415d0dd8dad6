// The columns of a sweep's table: the usual ones, or those named with --show.
//
//   auto columns = sweep_columns({"time", "bandwidth", "global.load.requests"});
//   (*columns)[1].cell(one)      // "1.7 TB/s"
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report.h"
#include "core/result.h"

namespace gpuprobe::cli {

struct SweepColumn {
  std::string header;
  std::function<std::string(const DiagnosedRun&)> cell;  ///< "-" where the run does not have it
};

/// The columns of `names` in that order; of the usual ones if it is empty. A name is one of those that
/// column_names() lists, or a metric. Errors: kUsage for another name.
Result<std::vector<SweepColumn>> sweep_columns(const std::vector<std::string>& names);

/// The names of columns that are no metrics: "time", "bandwidth", ...
std::vector<std::string> column_names();

}  // namespace gpuprobe::cli
