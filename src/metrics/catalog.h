// The catalog: every metric that gpuprobe knows, one row each, with its unit, its meaning and the CUPTI counters
// that measure it on each chip. `gpuprobe metrics` prints it; nothing else in the program names a CUPTI counter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/counters.h"
#include "core/unit.h"

namespace gpuprobe {

/// One way to measure a metric with the range profiler on a set of chips.
struct CounterBinding {
  std::vector<std::string> chips;   ///< CUPTI chip names ("gh100"); empty = every chip
  std::string counter;              ///< full metric name for the CUPTI Profiler Host, "l1tex__t_requests...sum"
  double scale = 1.0;               ///< semantic value = counter x scale (to reach the base unit)
};

struct MetricRow {
  enum class Kind {
    kCounter,  ///< read from a CUPTI counter
    kRatio,    ///< numerator / denominator of two other rows
    kStatic,   ///< from the compiled kernel, the launch or a clock; no counter
    kSite,     ///< exact sum over access sites (per-instruction counts), measured or predicted
  };
  std::string name;          ///< "global.load.sectors"
  Unit unit = Unit::kNone;
  std::string help;          ///< one line
  Kind kind = Kind::kCounter;
  std::vector<CounterBinding> bindings;  ///< kCounter: first binding whose chips contain the chip wins
  std::string numerator;     ///< kRatio
  std::string denominator;   ///< kRatio
  double ratio_scale = 1.0;  ///< kRatio: 100 for a percentage
  bool needs_gpu = false;    ///< a prediction cannot have it
};

/// All rows, in the order in which `gpuprobe metrics` lists them.
const std::vector<MetricRow>& metric_catalog();
/// nullptr for an unknown name.
const MetricRow* find_metric(std::string_view name);
/// The counter to ask CUPTI for on `chip`; nullptr if the row has none there.
const CounterBinding* binding_for(const MetricRow& row, std::string_view chip);

/// Adds every kRatio metric whose two parts are present (origin of the numerator), and marks the others missing
/// with the reason of the missing part. A denominator of zero gives a missing value "no <denominator>".
void derive_ratios(Counters& counters);

}  // namespace gpuprobe
