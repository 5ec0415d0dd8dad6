#include "cli/accuracy/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/judge.h"
#include "cli/kernel_commands.h"
#include "cli/prove.h"

namespace gpuprobe::cli {
namespace {

/// The tolerance that the project promises for the middle of an interval.
constexpr double kNear = 0.25;

bool allows(const user::LaunchEntry& entry, std::string_view kind) {
  const auto has = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), kind) != list.end();
  };
  return has(entry.finding) || has(entry.also);
}

JudgedLaunch judged(std::size_t place, const AccuracyLaunch& launch, const DiagnosedRun& one) {
  user::LaunchEntry planted = launch.one.entry;
  planted.expect.clear();
  planted.fail_on.clear();
  JudgedLaunch out;
  out.launch = place;
  out.label = launch.label;
  out.planted = planted.finding;
  out.also = planted.also;
  out.verdict = one.diagnosis.verdict.kind;
  const auto outcome = judge(planted, std::span(&one, 1));
  if (outcome) {
    out.right = outcome->state == CaseOutcome::State::kPassed;
    out.reasons = outcome->reasons;
  } else {
    out.reasons = {outcome.error().what};
  }
  for (const Finding& finding : one.diagnosis.findings)
    if (finding.severity != Severity::kNegligible && !allows(planted, to_string(finding.kind)))
      ++out.false_findings;
  return out;
}

JudgedRun origin_of(const Run& run) {
  const bool measured = run.source == Origin::kMeasured || run.recorded_from == "measured";
  return {run.environment, measured, run.device.calibration ? run.device.calibration->source : ""};
}

bool is_near(double estimate, double actual) {
  return std::abs(estimate / actual - 1.0) <= kNear;
}

}  // namespace

double GainPair::middle() const {
  return std::sqrt(expected.low * expected.high);
}

bool GainPair::near() const {
  return is_near(middle(), actual);
}

bool GainPair::nsight_near() const {
  return std::any_of(nsight.begin(), nsight.end(),
                     [&](const NsightAdvice& advice) { return is_near(advice.speedup, actual); });
}

std::vector<std::optional<std::size_t>> places_in_plan(const std::vector<AccuracyLaunch>& plan,
                                                       const std::vector<DiagnosedRun>& runs) {
  std::map<std::string, std::vector<std::size_t>> by_key;
  for (std::size_t i = 0; i < plan.size(); ++i) by_key[key_of(plan[i].one.kernel)].push_back(i);
  std::map<std::string, std::size_t> used;
  std::vector<std::optional<std::size_t>> places;
  for (const DiagnosedRun& one : runs) {
    const std::string key = key_of(one.run);
    const auto found = by_key.find(key);
    const std::size_t nth = used[key]++;
    const bool planned = found != by_key.end() && nth < found->second.size();
    places.push_back(planned ? std::optional(found->second[nth]) : std::nullopt);
  }
  return places;
}

Accuracy evaluate_accuracy(const std::vector<AccuracyLaunch>& plan, const std::vector<DiagnosedRun>& runs) {
  std::vector<const DiagnosedRun*> run_of(plan.size(), nullptr);
  std::map<std::string, const DiagnosedRun*> by_key;
  const auto places = places_in_plan(plan, runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    by_key.emplace(key_of(runs[i].run), &runs[i]);
    if (places[i]) run_of[*places[i]] = &runs[i];
  }
  Accuracy accuracy;
  for (std::size_t place = 0; place < plan.size(); ++place) {
    const AccuracyLaunch& launch = plan[place];
    if (run_of[place] == nullptr) {
      accuracy.missing.push_back(launch.label);
      continue;
    }
    DiagnosedRun before = *run_of[place];
    accuracy.runs.push_back(origin_of(before.run));
    // What cures the kernel is a fact of the kernel as it is now, not of an earlier recording.
    before.run.cures = launch.one.kernel.cures;
    if (!launch.one.entry.finding.empty()) accuracy.judged.push_back(judged(place, launch, before));
    const KernelFamily* family = launch.built_in ? find_kernel_family(before.run.kernel) : nullptr;
    if (family == nullptr || launch.one.entry.finding.empty()) continue;
    TypedValues values;
    for (const auto& [name, value] : launch.one.kernel.options) values[name] = value;
    for (const Change& change : own_cures(*family, values, before)) {
      if (!change.kernel || !change.expected) continue;
      const auto after = by_key.find(key_of(*change.kernel));
      if (after == by_key.end()) continue;
      const Proof proof = compare(change, before, *after->second);
      if (proof.gain)
        accuracy.pairs.push_back(
            {place, launch.label, change.finding, change.change, *change.expected, *proof.gain, false, {}});
    }
  }
  return accuracy;
}

}  // namespace gpuprobe::cli
