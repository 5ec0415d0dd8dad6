// The catalog: every metric that gpuprobe knows, one row each, with its unit, its meaning and the CUPTI
// counters that measure it on each chip. `gpuprobe metrics` prints it; nothing else in the program names a
// CUPTI counter.
//
//   const MetricRow* row = find_metric("dram.read_bytes");
//   binding_for(*row, "gb202")->counter;      // "dram__bytes_op_read.sum"; "dram__bytes_read.sum" on gh100
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/counters.h"
#include "core/site.h"
#include "core/unit.h"

namespace gpuprobe {

/// One way to measure a metric with the range profiler on a set of chips.
struct CounterBinding {
  std::vector<std::string> chips;  ///< CUPTI chip names in lower case ("gh100"); empty = every chip
  std::string counter;  ///< full metric name for the CUPTI Profiler Host, "l1tex__t_requests...sum"
  double scale = 1.0;   ///< semantic value = counter x scale (to reach the base unit)
};

struct MetricRow {
  enum class Kind {
    kCounter,  ///< read from a CUPTI counter
    kRatio,    ///< numerator / denominator of two other rows
    kLargest,  ///< the largest of other rows: how busy a unit is, from how busy its stages are
    kStatic,   ///< from the compiled kernel, the launch or a clock; no counter
    kSite,     ///< exact sum over access sites (per-instruction counts), measured or predicted
  };
  std::string name;  ///< "global.load.sectors"
  Unit unit = Unit::kNone;
  std::string help;  ///< one line
  Kind kind = Kind::kCounter;
  std::vector<CounterBinding> bindings;  ///< kCounter: first binding whose chips contain the chip wins
  std::string numerator;                 ///< kRatio
  std::string denominator;               ///< kRatio
  double ratio_scale = 1.0;              ///< kRatio: 100 for a percentage
  std::vector<std::string> parts;        ///< kLargest
  bool needs_gpu = false;                ///< a prediction cannot have it
};

/// Passes of the kernel that all counters of the catalog together need at most, on any chip (12 on Turing, 9
/// on Hopper). The contract test asks the CUPTI Profiler Host.
inline constexpr int kMaxPasses = 9;

/// The chips that the catalog is kept for: every one that CUPTI 13.0 lists from compute capability 7.5 on.
const std::vector<std::string>& catalog_chips();

/// All rows, in the order in which `gpuprobe metrics` lists them.
const std::vector<MetricRow>& metric_catalog();
/// nullptr for an unknown name.
const MetricRow* find_metric(std::string_view name);
/// The counter to ask CUPTI for on `chip` (upper or lower case); nullptr if the row has none there.
const CounterBinding* binding_for(const MetricRow& row, std::string_view chip);

/// Adds every metric that is a sum over access sites (requests, sectors, wavefronts, their ideal and excess)
/// and that `counters` does not mention yet, with `origin`. With no sites they are 0, or missing with the
/// reason `why_none` if one is given: for a measurement, "no site" does not mean "no access".
void sum_sites(Counters& counters, const std::vector<Site>& sites, Origin origin, std::string_view why_none);

/// Adds every kLargest metric that `counters` does not mention and that has a part with a value.
void derive_largest(Counters& counters);

/// Adds every kRatio metric whose two parts are present (origin of the numerator), and marks the others
/// missing with the reason of the missing part. A denominator of zero gives a missing value "no
/// <denominator>".
void derive_ratios(Counters& counters);

}  // namespace gpuprobe
