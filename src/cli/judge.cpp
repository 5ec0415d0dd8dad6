#include "cli/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/gates.h"
#include "cli/options.h"
#include "cli/profile.h"

namespace gpuprobe::cli {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_none(const user::LaunchEntry& entry) {
  return entry.finding == std::vector<std::string>{"none"};
}

Status check_kinds(const user::LaunchEntry& entry) {
  std::vector<std::string> kinds = entry.also;
  if (!is_none(entry)) kinds.insert(kinds.end(), entry.finding.begin(), entry.finding.end());
  for (const std::string& kind : kinds)
    if (!finding_kind_from_string(kind))
      return fail(ErrorCode::kUsage, fmt::format("{}: there is no finding '{}'", entry.origin, kind),
                  "`gpuprobe explain` lists the kinds of findings; \"none\" means that nothing is wrong.");
  return {};
}

Status check_sources(const user::LaunchEntry& entry) {
  for (const std::string& source : entry.sources)
    if (source != "model" && source != "gpu")
      return fail(ErrorCode::kUsage, fmt::format("{}: there is no source '{}'", entry.origin, source),
                  "A suite entry knows source = [\"model\", \"gpu\"].");
  for (const std::string& arch : entry.arch) {
    const auto known = known_archs();
    if (std::find(known.begin(), known.end(), arch) == known.end())
      return fail(ErrorCode::kUsage, fmt::format("{}: unknown architecture '{}'", entry.origin, arch),
                  "`gpuprobe devices` lists what can be predicted.");
  }
  return {};
}

/// Compares the diagnosis with the planted answer. Every planted kind is named, at whatever severity its cost
/// gives it; a verdict that accuses names one of them; nothing else is limiting or present but what the entry
/// allows.
void judge_planted(const user::LaunchEntry& entry, const DiagnosedRun& one,
                   std::vector<std::string>& reasons) {
  if (entry.finding.empty()) return;
  const Diagnosis& diagnosis = one.diagnosis;
  std::vector<std::string> named;
  for (const Finding& finding : diagnosis.findings) {
    const std::string kind(to_string(finding.kind));
    named.push_back(kind);
    if (finding.severity != Severity::kNegligible && !contains(entry.finding, kind) &&
        !contains(entry.also, kind))
      reasons.push_back(
          fmt::format("false finding {} ({}): {}", kind, to_string(finding.severity), finding.text));
  }
  const std::string& verdict = diagnosis.verdict.kind;
  if (verdict == "wrong-result" || verdict == "inconclusive") {
    reasons.push_back(fmt::format("the verdict is {}: {}", verdict, diagnosis.verdict.text));
    return;
  }
  const std::vector<std::string>& right = is_none(entry) ? entry.also : entry.finding;
  if (finding_kind_from_string(verdict) && !contains(right, verdict))
    reasons.push_back(
        fmt::format("the verdict is {}, planted is {}", verdict, fmt::join(entry.finding, ", ")));
  if (is_none(entry)) return;
  for (const std::string& kind : entry.finding)
    if (!contains(named, kind)) reasons.push_back(fmt::format("{} is planted, but not found", kind));
}

}  // namespace

Status check_words(const user::LaunchEntry& entry) {
  if (Status known = check_kinds(entry); !known) return known;
  if (const auto gates = parse_gates(entry.fail_on, entry.expect); !gates) {
    Error error = gates.error();
    error.what = entry.origin + ": " + error.what;
    return tl::unexpected(error);
  }
  return check_sources(entry);
}

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
