// Shared-memory accesses of one request whose lanes want different words of one bank: they are served one
// after the other. Judged by exact wavefronts against the ideal for the same lanes and width. The hardware's
// own conflict counter includes arbitration with other users of the data stage and is non-zero without any
// address conflict, so it is only explained here, never believed.
#include <fmt/format.h>

#include "diagnose/access/relief.h"
#include "diagnose/phrase.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

/// Part of the wavefronts of its kind below which an excess that gains nothing is not even mentioned.
constexpr double kWorthALine = 0.05;
/// "n-way" is said of a degree only where one wavefront would do: an LDS.128 costs 4 without any conflict.
constexpr double kOneWavefront = 1.05;

constexpr const char* kCure =
    "change the layout so that the lanes of a request fall into different banks: pad each row by one "
    "element, or "
    "XOR the column with the row";

std::string fact(const char* noun, const Site* worst, double requests, double actual, double ideal) {
  const std::string where = worst ? at_place({*worst}) : "";
  const double degree = ideal > 0 ? actual / ideal : 1.0;
  // Hardware counts instructions whose lanes are all off as requests too; then only the ratio means
  // something.
  if (requests <= 0 || ideal < requests * 0.999)
    return fmt::format("{} conflict{}: {} wavefronts where {} would do ({:.1f} times)", noun, where,
                       grouped(actual), grouped(ideal), degree);
  const std::string cost = per_request(actual / requests, ideal / requests, "wavefronts");
  if (ideal / requests <= kOneWavefront && worst)
    return fmt::format("{} conflict {:.0f}-way{}: {}", noun, degree, where, cost);
  return fmt::format("{} conflict{}, {:.1f} times the ideal: {}", noun, where, degree, cost);
}

void examine_kind(const Context& context, FindingKind kind, const AccessTotals& totals, const char* noun,
                  const char* metric_prefix, std::vector<Finding>& findings) {
  const Trust::Area area =
      kind == FindingKind::kBankConflictLoad ? Trust::Area::kSharedLoad : Trust::Area::kSharedStore;
  if (!totals.known() || totals.excess() <= 0 || !context.trust.holds(area)) return;

  Finding finding;
  finding.kind = kind;
  finding.gain = context.cost.gain_without(shared_relief(totals.excess()));
  finding.severity = severity_of(*finding.gain);
  if (finding.severity == Severity::kNegligible && totals.excess() < kWorthALine * totals.actual) return;
  for (const Site* site : totals.sites)
    if (site->excess() > 0) finding.sites.push_back(*site);
  const Site* worst = finding.sites.empty() ? nullptr : &finding.sites.front();
  finding.text = worst ? fact(noun, worst, worst->requests, worst->actual, worst->ideal)
                       : fact(noun, nullptr, totals.requests, totals.actual, totals.ideal);
  const std::string prefix(metric_prefix);
  finding.evidence.push_back(
      {prefix + "conflict_degree", totals.ratio(), Unit::kRatio,
       fmt::format("{} wavefronts, {} without conflicts", grouped(totals.actual), grouped(totals.ideal))});
  finding.evidence.push_back({prefix + "excess_wavefronts", totals.excess(), Unit::kWavefront,
                              fmt::format("{} wavefronts are excess", grouped(totals.excess()))});
  const std::string own = own_cure(context.run, kind);
  finding.cure = own.empty() ? kCure : own;
  findings.push_back(std::move(finding));
}

std::vector<Finding> examine(const Context& context) {
  std::vector<Finding> findings;
  const Traffic& traffic = context.traffic;
  examine_kind(context, FindingKind::kBankConflictLoad, traffic.shared_load, "shared loads", "shared.load.",
               findings);
  examine_kind(context, FindingKind::kBankConflictLoad, traffic.matrix_load, "ldmatrix rows",
               "shared.matrix_load.", findings);
  examine_kind(context, FindingKind::kBankConflictStore, traffic.shared_store, "shared stores",
               "shared.store.", findings);
  examine_kind(context, FindingKind::kBankConflictStore, traffic.matrix_store, "stmatrix rows",
               "shared.matrix_store.", findings);
  return findings;
}

}  // namespace

Rule bank_conflict_rule();
Rule bank_conflict_rule() {
  return {"bank_conflict", {FindingKind::kBankConflictLoad, FindingKind::kBankConflictStore}, examine};
}

}  // namespace gpuprobe::diagnose
