// The counters of the catalog that the range profiler reads on one chip, and their values put into a run.
//
//   std::vector<BoundCounter> bound = hardware_counters("gh100", host);
#pragma once

#include <string>
#include <vector>

#include "core/counters.h"
#include "metrics/catalog.h"
#include "metrics/cupti/profiler_host.h"

namespace gpuprobe::cupti {

/// A catalog row and the counter that measures it on this chip.
struct BoundCounter {
  const MetricRow* row;
  const CounterBinding* binding;
};

/// Rows whose hardware counter this chip and this CUPTI have. Rows counted by instrumented instructions
/// (smsp__sass_...) are not among them: SassSession counts them, by line.
std::vector<BoundCounter> hardware_counters(const std::string& chip, const ProfilerHost& host);

/// Adds each hardware counter's value, or why it is missing, to `counters`: `values` are those of `bound`, in
/// its order. Rows without a counter on `chip` are marked missing, too.
void set_hardware_counters(Counters& counters, const std::vector<BoundCounter>& bound,
                           const std::vector<double>& values, const std::string& chip);

}  // namespace gpuprobe::cupti
