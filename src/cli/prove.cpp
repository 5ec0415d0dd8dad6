#include "cli/prove.h"

#include <algorithm>

#include "cli/kernel_commands.h"
#include "cli/profile.h"

namespace gpuprobe::cli {
namespace {

/// What a cure of memory access or residency moves.
constexpr const char* kCompared[] = {
    "time.duration",          "global.load.requests",    "global.load.sectors",      "global.store.sectors",
    "shared.load.wavefronts", "shared.store.wavefronts", "shared.atomic.wavefronts", "local.load.sectors",
    "occupancy.theoretical",  "occupancy.achieved",      "dram.read_bytes",          "dram.write_bytes"};

bool shows(const DiagnosedRun& one, const std::string& kind) {
  return std::any_of(one.diagnosis.findings.begin(), one.diagnosis.findings.end(),
                     [&](const Finding& finding) {
                       return to_string(finding.kind) == kind && finding.severity != Severity::kNegligible;
                     });
}

Unit unit_of(const Run& run, const std::string& metric) {
  const Value* value = run.counters.value(metric);
  return value ? value->unit : Unit::kNone;
}

Proof failed(const Change& change, const std::string& why) {
  Proof proof;
  proof.finding = change.finding;
  proof.change = change.change;
  proof.text = change.text;
  proof.expected = change.expected;
  proof.missing = why;
  return proof;
}

}  // namespace

Proof compare(const Change& change, const DiagnosedRun& before, const DiagnosedRun& after) {
  Proof proof = failed(change, "");
  proof.after = after.diagnosis.verdict.kind;
  proof.gone = !shows(after, change.finding);
  const auto old_time = before.run.counters.number("time.duration");
  const auto new_time = after.run.counters.number("time.duration");
  if (kernel_failed(after.run))
    proof.missing = "the changed kernel fails: " + after.diagnosis.verdict.text;
  else if (!old_time || !new_time)
    proof.missing = (old_time ? after : before).run.counters.missing_reason("time.duration");
  else if (*new_time > 0)
    proof.gain = *old_time / *new_time;
  else
    proof.missing = "it is too short to be timed";
  for (const char* metric : kCompared) {
    const auto old_value = before.run.counters.number(metric);
    const auto new_value = after.run.counters.number(metric);
    if (old_value.value_or(0) == 0 && new_value.value_or(0) == 0) continue;
    proof.metrics.push_back(
        {metric, unit_of(old_value ? before.run : after.run, metric), old_value, new_value});
  }
  return proof;
}

std::vector<Change> own_cures(const KernelFamily& family, const TypedValues& values,
                              const DiagnosedRun& before) {
  std::vector<Change> changes;
  for (const Finding& finding : before.diagnosis.findings) {
    if (finding.severity == Severity::kNegligible) continue;
    for (const KernelCure& cure : before.run.cures) {
      const bool tried = std::any_of(changes.begin(), changes.end(),
                                     [&](const Change& other) { return other.change == cure.options; });
      if (cure.finding != to_string(finding.kind) || tried) continue;
      changes.push_back({cure.finding, cure.options, cure.text, finding.gain,
                         build_kernel(family, with_options(values, cure.options))});
    }
  }
  return changes;
}

void prove(std::vector<DiagnosedRun>& runs, const ChangesOf& changes_of, const Sources& sources,
           const CollectOptions& options) {
  // With both sources each change is run once, and each of its runs is compared with its own kind.
  std::vector<std::pair<std::string, Result<std::vector<DiagnosedRun>>>> made;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (Change& change : changes_of(runs[i])) {
      auto known = std::find_if(made.begin(), made.end(),
                                [&](const auto& other) { return other.first == change.change; });
      if (known == made.end()) {
        auto after = [&]() -> Result<std::vector<DiagnosedRun>> {
          if (!change.kernel) return tl::unexpected(change.kernel.error());
          return profile(*change.kernel, sources, options);
        }();
        known = made.emplace(made.end(), change.change, std::move(after));
      }
      const auto& after = known->second;
      if (!after)
        runs[i].proofs.push_back(failed(change, after.error().what));
      else if (i < after->size())
        runs[i].proofs.push_back(compare(change, runs[i], (*after)[i]));
    }
  }
}

}  // namespace gpuprobe::cli
