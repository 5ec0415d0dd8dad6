// Reads what `ncu --csv` prints, so that a user of Nsight Compute gets the verdict without profiling again.
//
//   ncu --import report.ncu-rep --csv --page raw > report.csv        a row a launch, a column a metric: all
//   counters ncu --csv ./app > app.csv                                        a row a metric: the names of
//   the details page
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/run.h"

namespace gpuprobe::recorded {

enum class NsightLayout { kNone, kRaw, kLong };

/// Which of the two layouts the first header row has; kNone if there is no header row.
NsightLayout nsight_layout(std::string_view text);

/// One launch as exported: names and cells, not yet interpreted.
struct NsightLaunch {
  std::string id;
  std::string process;  ///< "2338 launches"
  std::string kernel;
  std::string block;  ///< "(32, 32, 1)"
  std::string grid;
  std::string compute_capability;  ///< "9.0"
  struct Cell {
    std::string metric;
    std::string unit;
    std::string value;
  };
  std::vector<Cell> cells;
};

/// The launches in file order. Lines of the profiled program and of ncu itself are skipped; several exports
/// one after the other are read as one. Errors: kUsage naming `name`, the line and what was expected.
Result<std::vector<NsightLaunch>> read_nsight_launches(std::string_view text, std::string_view name);

/// The launches as runs (source kRecorded, recorded_from "nsight-compute"), each with the note of what its
/// metric set lacks. Errors as above.
Result<std::vector<Run>> read_nsight_csv(std::string_view text, std::string_view name);

}  // namespace gpuprobe::recorded
