#include "cli/baseline.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpuprobe::cli {
namespace {

// Room for the rounding of numbers that went through text, nothing more.
constexpr double kRounding = 1e-9;

bool measured(const Run& run) {
  return run.source == Origin::kMeasured || run.recorded_from == "measured";
}

bool comparable(const WatchedMetric& metric, const Run& now, const Run& before) {
  if (!metric.same_device) return now.device.arch == before.device.arch;
  return measured(now) && measured(before) && now.device.name == before.device.name;
}

GateOutcome compare_metric(const WatchedMetric& metric, double before, const Run& run) {
  const auto now = run.counters.number(metric.name);
  if (!now)
    return {GateOutcome::State::kMissing,
            fmt::format("{} is {:.10g} in the baseline, but there is no such number now: {}", metric.name,
                        before, run.counters.missing_reason(metric.name))};
  const bool worse = metric.worse == Worse::kHigher ? *now > before * metric.tolerance * (1 + kRounding)
                                                    : *now < before / metric.tolerance * (1 - kRounding);
  const std::string text = fmt::format("{}: {:.10g}, baseline {:.10g}", metric.name, *now, before);
  return {worse ? GateOutcome::State::kFailed : GateOutcome::State::kHeld, text};
}

bool has_finding(const Diagnosis& diagnosis, FindingKind kind) {
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(), [kind](const Finding& finding) {
    return finding.kind == kind && finding.severity != Severity::kNegligible;
  });
}

void compare_run(const DiagnosedRun& now, const DiagnosedRun& before, std::vector<GateOutcome>& outcomes) {
  for (const WatchedMetric& metric : watched_metrics()) {
    const auto number = before.run.counters.number(metric.name);
    if (number && comparable(metric, now.run, before.run))
      outcomes.push_back(compare_metric(metric, *number, now.run));
  }
  for (const Finding& finding : now.diagnosis.findings)
    if (finding.severity != Severity::kNegligible && !has_finding(before.diagnosis, finding.kind))
      outcomes.push_back({GateOutcome::State::kFailed, fmt::format("{} is not in the baseline: {}",
                                                                   to_string(finding.kind), finding.text)});
}

}  // namespace

const std::vector<WatchedMetric>& watched_metrics() {
  static const std::vector<WatchedMetric> kWatched = {
      {"global.load.sectors", Worse::kHigher},
      {"global.store.sectors", Worse::kHigher},
      {"shared.load.wavefronts", Worse::kHigher},
      {"shared.store.wavefronts", Worse::kHigher},
      {"local.load.sectors", Worse::kHigher},
      {"local.store.sectors", Worse::kHigher},
      {"launch.registers", Worse::kHigher},
      {"occupancy.theoretical", Worse::kLower},
      {"time.duration", Worse::kHigher, kTimeTolerance, true},
  };
  return kWatched;
}

bool same_invocation(const Run& a, const Run& b) {
  return a.kernel == b.kernel && a.options == b.options;
}

const DiagnosedRun* find_baseline(const Run& run, std::span<const DiagnosedRun> baseline) {
  const DiagnosedRun* found = nullptr;
  for (const DiagnosedRun& candidate : baseline) {
    if (!same_invocation(run, candidate.run)) continue;
    if (measured(run) == measured(candidate.run)) return &candidate;
    if (!found) found = &candidate;
  }
  return found;
}

std::vector<GateOutcome> compare_with_baseline(std::span<const DiagnosedRun> runs,
                                               std::span<const DiagnosedRun> baseline) {
  std::vector<GateOutcome> outcomes;
  for (const DiagnosedRun& now : runs) {
    if (const DiagnosedRun* before = find_baseline(now.run, baseline)) {
      compare_run(now, *before, outcomes);
    } else {
      outcomes.push_back({GateOutcome::State::kMissing,
                          "the baseline has no run of " + now.run.kernel + " with these options"});
    }
  }
  return outcomes;
}

}  // namespace gpuprobe::cli
