#include "diagnose/ranking.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnose/bounds.h"
#include "diagnose/notes.h"

namespace gpuprobe::diagnose {
namespace {

double middle(const Finding& finding) {
  return finding.gain ? Range{finding.gain->low, finding.gain->high}.middle() : 1.0;
}

/// Why a healthy verdict cannot be given: numbers that no rule could judge.
std::vector<std::string> open_questions(const Context& context) {
  std::vector<std::string> reasons;
  const Traffic& traffic = context.traffic;
  for (const AccessTotals* totals :
       {&traffic.global_load, &traffic.global_store, &traffic.shared_load, &traffic.shared_store})
    if (!totals->known()) reasons.push_back(totals->unknown);
  for (const Trust::Violation& violation : context.trust.violations()) reasons.push_back(violation.reason);
  return reasons;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

Severity severity_of(const Gain& gain) {
  const double expected = Range{gain.low, gain.high}.middle();
  if (expected >= kLimitingGain) return Severity::kLimiting;
  return expected >= kPresentGain ? Severity::kPresent : Severity::kNegligible;
}

std::vector<std::string> severity_thresholds() {
  return {
      fmt::format("limiting from a gain of {:.2f}x on (geometric middle of the interval): worth a change of "
                  "the source, and "
                  "above any spread between runs",
                  kLimitingGain),
      fmt::format("present from {:.2f}x on: less is lost between runs, whose clocks alone move the time by "
                  "one to three per "
                  "cent",
                  kPresentGain),
      "wrong results are always limiting",
  };
}

bool is_correctness(FindingKind kind) {
  switch (kind) {
    case FindingKind::kSharedRace:
    case FindingKind::kDivergentBarrier:
    case FindingKind::kUninitialisedShared:
    case FindingKind::kOutOfBounds:
    case FindingKind::kMisalignedAddress:
    case FindingKind::kBlockOrder:
    case FindingKind::kBlockWait:
      return true;
    default:
      return false;
  }
}

void rank(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    if (is_correctness(a.kind) != is_correctness(b.kind)) return is_correctness(a.kind);
    return middle(a) > middle(b);
  });
}

Verdict decide(const Context& context, const std::vector<Finding>& findings) {
  const Run& run = context.run;
  if (run.check.state == CheckOutcome::State::kFailed) {
    std::string text = "the result is wrong: " + run.check.text;
    if (!findings.empty() && is_correctness(findings.front().kind)) text += "; " + findings.front().text;
    return {"wrong-result", text};
  }
  const bool incorrect = !findings.empty() && is_correctness(findings.front().kind);
  if (run.sampling && run.sampling->timed_out && !incorrect)
    return {"inconclusive",
            "the kernel had not ended when the time limit was reached: raise --timeout, or choose a smaller "
            "size; "
            "if it ends on no GPU either, look for a loop without an end"};
  if (!findings.empty() && findings.front().severity == Severity::kLimiting) {
    const Finding& first = findings.front();
    return {std::string(to_string(first.kind)), first.text + notes_for(context)};
  }
  if (const OccupancyTable* table = context.occupancy();
      table && table->blocks_per_sm == 0 && !table->limits.empty())
    return {"inconclusive", "not one block fits on an SM, so the kernel cannot run"};
  if (const auto reasons = open_questions(context); !reasons.empty())
    return {"inconclusive", "no limiting fault among what could be judged, but: " + joined(reasons)};
  Verdict verdict = healthy_verdict(context);
  verdict.text += notes_for(context);
  return verdict;
}

}  // namespace gpuprobe::diagnose
