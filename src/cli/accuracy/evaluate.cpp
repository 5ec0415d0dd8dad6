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
/// A reduction of 25 launches would take a third of Nsight's time and show one kernel.
constexpr std::size_t kMostSteps = 2;

bool allows(const user::LaunchEntry& entry, std::string_view kind) {
  const auto has = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), kind) != list.end();
  };
  return has(entry.finding) || has(entry.also);
}

JudgedLaunch judged(const AccuracyLaunch& launch, const DiagnosedRun& one) {
  user::LaunchEntry planted = launch.one.entry;
  planted.expect.clear();
  planted.fail_on.clear();
  JudgedLaunch out;
  out.label = launch.label;
  out.planted = fmt::format("{}", fmt::join(planted.finding, ", "));
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

std::string dimensions(const Dim3& dim) {
  return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

std::string base_name(const std::string& entry) {
  return entry.substr(0, entry.find_first_of("<("));
}

void add_advice(JudgedLaunch& one, const NsightLaunch& launch) {
  one.has_nsight = true;
  for (const NsightAdvice& advice : launch.advice) {
    one.nsight.push_back(advice);
    const bool right =
        std::any_of(all_finding_kinds().begin(), all_finding_kinds().end(), [&](FindingKind kind) {
          return one.planted.find(to_string(kind)) != std::string::npos && names_cause(advice.rule, kind);
        });
    one.nsight_right += right;
  }
}

void add_estimates(GainPair& pair, const NsightLaunch& launch) {
  const auto kind = finding_kind_from_string(pair.finding);
  for (const NsightAdvice& advice : launch.advice) {
    if (!kind || !names_cause(advice.rule, *kind)) continue;
    pair.nsight_low = pair.nsight_low > 0 ? std::min(pair.nsight_low, advice.speedup) : advice.speedup;
    pair.nsight_high = std::max(pair.nsight_high, advice.speedup);
  }
}

}  // namespace

double GainPair::middle() const {
  return std::sqrt(expected.low * expected.high);
}

bool GainPair::near() const {
  return std::abs(middle() / actual - 1.0) <= kNear;
}

bool is_shown_to_nsight(const AccuracyLaunch& launch) {
  return launch.one.kernel.steps.size() <= kMostSteps;
}

Accuracy evaluate_accuracy(const std::vector<AccuracyLaunch>& plan, const std::vector<DiagnosedRun>& runs) {
  std::multimap<std::string, const DiagnosedRun*> by_key;
  for (const DiagnosedRun& one : runs) by_key.emplace(key_of(one.run), &one);
  Accuracy accuracy;
  if (!runs.empty()) accuracy.environment = runs.front().run.environment;
  std::map<std::string, std::size_t> used;
  for (const AccuracyLaunch& launch : plan) {
    const std::string key = key_of(launch.one.kernel);
    const auto [first, last] = by_key.equal_range(key);
    // Cases that look alike from outside are taken in their order.
    const std::size_t skip = used[key]++;
    if (static_cast<std::size_t>(std::distance(first, last)) <= skip) {
      accuracy.missing.push_back(launch.label);
      continue;
    }
    DiagnosedRun before = *std::next(first, static_cast<std::ptrdiff_t>(skip))->second;
    // What cures the kernel is a fact of the kernel as it is now, not of an earlier recording.
    before.run.cures = launch.one.kernel.cures;
    if (!launch.one.entry.finding.empty()) accuracy.judged.push_back(judged(launch, before));
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
            {launch.label, change.finding, change.change, *change.expected, *proof.gain, 0, 0});
    }
  }
  return accuracy;
}

Status add_nsight(Accuracy& accuracy, const std::vector<AccuracyLaunch>& plan,
                  const std::vector<NsightLaunch>& launches) {
  std::size_t next = 0;
  for (const AccuracyLaunch& launch : plan) {
    if (!is_shown_to_nsight(launch)) continue;
    for (const Step& step : launch.one.kernel.steps) {
      if (next == launches.size()) break;
      const NsightLaunch& seen = launches[next];
      // Kernels that Nsight was not shown are passed over.
      if (seen.kernel != base_name(step.entry) || seen.grid != dimensions(step.launch.grid) ||
          seen.block != dimensions(step.launch.block))
        continue;
      ++next;
      for (JudgedLaunch& one : accuracy.judged)
        if (one.label == launch.label) add_advice(one, seen);
      for (GainPair& pair : accuracy.pairs)
        if (pair.label == launch.label) add_estimates(pair, seen);
    }
  }
  if (next < launches.size())
    return fail(ErrorCode::kUsage,
                fmt::format("launch {} that Nsight saw, {} {} {}, is not in the plan", next + 1,
                            launches[next].kernel, launches[next].grid, launches[next].block),
                "Record it with the same gpuprobe and the same suites (scripts/accuracy does).");
  accuracy.nsight_launches = next;
  return {};
}

}  // namespace gpuprobe::cli
