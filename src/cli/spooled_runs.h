// From the spool of a profiled program to diagnosed runs: what is added to what the injected profiler saw.
//
//   auto runs = diagnose_spool(std::move(*spool));      // longest total time first; unmeasured kernels last
#pragma once

#include <vector>

#include "core/report.h"
#include "metrics/recorded/spool.h"

namespace gpuprobe::cli {

/// One run for each kernel and configuration, with notes that account for its launches. What was not measured
/// is missing with the reason, so that no gate takes it for good.
std::vector<DiagnosedRun> diagnose_spool(recorded::Spool spool);

/// "12 kernel configurations, 340 launches: 12 measured, 325 counted, 3 skipped"; "no launches".
std::string account_of(const recorded::Spool& spool);

}  // namespace gpuprobe::cli
