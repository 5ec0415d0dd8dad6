#include "metrics/cupti/hardware_counters.h"

#include <algorithm>
#include <cmath>

namespace gpuprobe::cupti {
namespace {

/// Counted by instrumented instructions: SassSession does that by line, and much faster than the range
/// profiler.
bool is_instrumented(const CounterBinding& binding) {
  return binding.counter.rfind("smsp__sass_", 0) == 0;
}

}  // namespace

std::vector<BoundCounter> hardware_counters(const std::string& chip, const ProfilerHost& host) {
  std::vector<BoundCounter> counters;
  for (const MetricRow& row : metric_catalog()) {
    const CounterBinding* binding = binding_for(row, chip);
    if (!binding || is_instrumented(*binding)) continue;
    if (host.properties(binding->counter)) counters.push_back({&row, binding});
  }
  // CUPTI packs the counters of a unit into fewer passes if they come together: five in place of six here.
  std::sort(counters.begin(), counters.end(), [](const BoundCounter& a, const BoundCounter& b) {
    return a.binding->counter < b.binding->counter;
  });
  return counters;
}

void set_hardware_counters(Counters& counters, const std::vector<BoundCounter>& bound,
                           const std::vector<double>& values, const std::string& chip) {
  for (std::size_t i = 0; i < bound.size() && i < values.size(); ++i) {
    const auto& [row, binding] = bound[i];
    if (std::isfinite(values[i]))
      counters.set(row->name, {values[i] * binding->scale, row->unit, Origin::kMeasured, {binding->counter}});
    else
      counters.set_missing(row->name, "CUPTI gave no number for " + binding->counter);
  }
  for (const MetricRow& row : metric_catalog()) {
    if (row.kind != MetricRow::Kind::kCounter || counters.find(row.name)) continue;
    const CounterBinding* binding = binding_for(row, chip);
    if (!binding)
      counters.set_missing(row.name, "chip " + chip + " has no counter for it");
    else if (!is_instrumented(*binding))
      counters.set_missing(row.name, "this CUPTI does not have " + binding->counter);
  }
  derive_largest(counters);
}

}  // namespace gpuprobe::cupti
