#include "cli/mismatch.h"

#include <fmt/format.h>

#include <cmath>

#include "metrics/catalog.h"

namespace gpuprobe::cli {
namespace {

// A prediction that executed every block, and a sample that was scaled up in doubles: rounding only.
constexpr double kRounding = 1e-9;

/// Counted alike by both sources. Sectors of atomics are not: the GPU's instruction counter has each sector
/// of a request once, a prediction once for each lane of its most wanted word, as the hardware works on it.
bool is_exact_count(const MetricRow& row) {
  if (row.name == "global.atomic.sectors") return false;
  if (row.name.starts_with("global.")) return row.unit == Unit::kRequest || row.unit == Unit::kSector;
  return row.name.starts_with("shared.") && row.unit == Unit::kWavefrontsPerRequest &&
         row.kind == MetricRow::Kind::kRatio;
}

bool differ(const CountPair& pair) {
  return std::abs(pair.measured - pair.predicted) >
         kRounding * std::max(std::abs(pair.measured), std::abs(pair.predicted));
}

Finding mismatch_finding(const CountPair& pair, Unit unit) {
  Finding finding;
  finding.kind = FindingKind::kPredictionMismatch;
  finding.severity = Severity::kPresent;
  finding.text =
      fmt::format("{}: measured {:.10g}, predicted {:.10g}", pair.metric, pair.measured, pair.predicted);
  finding.evidence.push_back(
      {pair.metric, pair.measured, unit, fmt::format("the prediction is {:.10g}", pair.predicted)});
  finding.cure = "Trust the measurement for this count, and report the kernel: the model should agree.";
  return finding;
}

}  // namespace

std::vector<CountPair> comparable_counts(const Run& measured, const Run& predicted) {
  std::vector<CountPair> pairs;
  for (const MetricRow& row : metric_catalog()) {
    if (!is_exact_count(row)) continue;
    const auto one = measured.counters.number(row.name);
    const auto other = predicted.counters.number(row.name);
    if (one && other) pairs.push_back({row.name, *one, *other});
  }
  return pairs;
}

void add_mismatches(DiagnosedRun& measured, const Run& predicted) {
  for (const CountPair& pair : comparable_counts(measured.run, predicted))
    if (differ(pair))
      measured.diagnosis.findings.push_back(mismatch_finding(pair, find_metric(pair.metric)->unit));
}

}  // namespace gpuprobe::cli
