#include "cli/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/gates.h"
#include "cli/profile.h"

namespace gpuprobe::cli {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Status check_kinds(const user::LaunchEntry& entry) {
  std::vector<std::string> kinds = entry.also;
  if (!entry.finding.empty() && entry.finding != "none") kinds.push_back(entry.finding);
  for (const std::string& kind : kinds)
    if (!finding_kind_from_string(kind))
      return fail(ErrorCode::kUsage, fmt::format("{}: there is no finding '{}'", entry.origin, kind),
                  "`gpuprobe explain` lists the kinds of findings; \"none\" means that nothing is wrong.");
  return {};
}

/// Compares the diagnosis with the planted answer: the verdict names it, and nothing untrue is said beside
/// it.
void judge_planted(const user::LaunchEntry& entry, const DiagnosedRun& one,
                   std::vector<std::string>& reasons) {
  if (entry.finding.empty()) return;
  const Diagnosis& diagnosis = one.diagnosis;
  bool seen = false;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity == Severity::kNegligible) continue;
    const std::string kind(to_string(finding.kind));
    seen = seen || kind == entry.finding;
    if (kind != entry.finding && !contains(entry.also, kind))
      reasons.push_back(
          fmt::format("false finding {} ({}): {}", kind, to_string(finding.severity), finding.text));
  }
  const std::string& verdict = diagnosis.verdict.kind;
  if (entry.finding == "none") {
    const bool accuses = finding_kind_from_string(verdict) && !contains(entry.also, verdict);
    if (accuses || verdict == "wrong-result")
      reasons.push_back(fmt::format("the verdict is {}, planted is none", verdict));
  } else if (!seen || (finding_kind_from_string(verdict) && verdict != entry.finding)) {
    // A finding that is present while something healthy bounds the kernel is a right answer too; another
    // accusation at the head of the report is not.
    reasons.push_back(fmt::format("the verdict is {}, planted is {}", verdict, entry.finding));
  }
}

}  // namespace

Result<CaseOutcome> judge(const user::LaunchEntry& entry, std::span<const DiagnosedRun> runs) {
  if (Status known = check_kinds(entry); !known) return tl::unexpected(known.error());
  const auto gates = parse_gates(entry.fail_on, entry.expect);
  if (!gates) {
    Error error = gates.error();
    error.what = entry.origin + ": " + error.what;
    return tl::unexpected(error);
  }
  CaseOutcome outcome;
  for (const DiagnosedRun& one : runs) {
    if (kernel_failed(one.run)) outcome.reasons.push_back(one.diagnosis.verdict.text);
    judge_planted(entry, one, outcome.reasons);
  }
  bool missing = false;
  for (const GateOutcome& gate : evaluate_gates(*gates, runs)) {
    if (gate.state == GateOutcome::State::kHeld) continue;
    missing = missing || gate.state == GateOutcome::State::kMissing;
    outcome.reasons.push_back(gate.text);
    if (gate.state == GateOutcome::State::kFailed) outcome.state = CaseOutcome::State::kFailed;
  }
  if (!outcome.reasons.empty() && outcome.state == CaseOutcome::State::kPassed)
    outcome.state =
        missing && outcome.reasons.size() == 1 ? CaseOutcome::State::kNotJudged : CaseOutcome::State::kFailed;
  return outcome;
}

std::string tally(std::span<const CaseOutcome> outcomes) {
  const auto count = [&](CaseOutcome::State state) {
    return std::count_if(outcomes.begin(), outcomes.end(),
                         [=](const CaseOutcome& o) { return o.state == state; });
  };
  return fmt::format("{} passed, {} failed, {} not judged", count(CaseOutcome::State::kPassed),
                     count(CaseOutcome::State::kFailed), count(CaseOutcome::State::kNotJudged));
}

int suite_exit_code(std::span<const CaseOutcome> outcomes) {
  int code = 0;
  for (const CaseOutcome& outcome : outcomes) {
    if (outcome.state == CaseOutcome::State::kFailed) return static_cast<int>(ErrorCode::kGate);
    if (outcome.state == CaseOutcome::State::kNotJudged) code = static_cast<int>(ErrorCode::kMachine);
  }
  return code;
}

}  // namespace gpuprobe::cli
