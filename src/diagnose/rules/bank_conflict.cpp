// Shared-memory accesses of one request whose lanes want different words of one bank: they are served one
// after the other. Judged by exact wavefronts against the ideal for the same lanes and width. The hardware's
// own conflict counter includes arbitration with other users of the data stage and is non-zero without any
// address conflict, so it is only explained here, never believed.
#include <fmt/format.h>

#include <algorithm>

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

struct Part {
  FindingKind kind;
  const AccessTotals& totals;
  const char* noun;
  const char* metrics;
  Trust::Area area;
};

bool conflicts(const Context& context, const Part& part) {
  return part.totals.known() && part.totals.excess() > 0 && context.trust.holds(part.area);
}

void examine_part(const Context& context, const Part& part, double all_excess,
                  std::vector<Finding>& findings) {
  const AccessTotals& totals = part.totals;
  Finding finding;
  finding.kind = part.kind;
  const Gain own = context.cost.gain_without(shared_relief(totals.excess()));
  finding.severity = severity_of(own);
  if (finding.severity == Severity::kNegligible && totals.excess() < kWorthALine * totals.actual) return;
  // Loads and stores share the layout, so one change cures both; the severity is that of this part alone.
  finding.gain = own;
  if (totals.excess() < all_excess * (1.0 - kWorthALine)) {
    finding.gain = context.cost.gain_without(shared_relief(all_excess));
    finding.gain->reasoning += "; one change of layout cures loads and stores";
  }
  for (const Site* site : totals.sites)
    if (site->excess() > 0) finding.sites.push_back(*site);
  const Site* worst = finding.sites.empty() ? nullptr : &finding.sites.front();
  finding.text = worst ? fact(part.noun, worst, worst->requests, worst->actual, worst->ideal)
                       : fact(part.noun, nullptr, totals.requests, totals.actual, totals.ideal);
  const std::string prefix(part.metrics);
  finding.evidence.push_back(
      {prefix + "conflict_degree", totals.ratio(), Unit::kRatio,
       fmt::format("{} wavefronts, {} without conflicts", grouped(totals.actual), grouped(totals.ideal))});
  finding.evidence.push_back({prefix + "excess_wavefronts", totals.excess(), Unit::kWavefront,
                              fmt::format("{} wavefronts are excess", grouped(totals.excess()))});
  const std::string own_option = own_cure(context.run, part.kind);
  finding.cure = own_option.empty() ? kCure : own_option;
  findings.push_back(std::move(finding));
}

std::vector<Finding> examine(const Context& context) {
  const Traffic& traffic = context.traffic;
  const Part parts[] = {
      {FindingKind::kBankConflictLoad, traffic.shared_load, "shared loads", "shared.load.",
       Trust::Area::kSharedLoad},
      {FindingKind::kBankConflictLoad, traffic.matrix_load, "ldmatrix rows", "shared.matrix_load.",
       Trust::Area::kSharedLoad},
      {FindingKind::kBankConflictStore, traffic.shared_store, "shared stores", "shared.store.",
       Trust::Area::kSharedStore},
      {FindingKind::kBankConflictStore, traffic.matrix_store, "stmatrix rows", "shared.matrix_store.",
       Trust::Area::kSharedStore},
  };
  std::vector<const Part*> flagged;
  double all_excess = 0;
  for (const Part& part : parts)
    if (conflicts(context, part)) {
      flagged.push_back(&part);
      all_excess += part.totals.excess();
    }
  std::stable_sort(flagged.begin(), flagged.end(),
                   [](const Part* a, const Part* b) { return a->totals.excess() > b->totals.excess(); });
  std::vector<Finding> findings;
  for (const Part* part : flagged) examine_part(context, *part, all_excess, findings);
  return findings;
}

}  // namespace

Rule bank_conflict_rule();
Rule bank_conflict_rule() {
  return {"bank_conflict", {FindingKind::kBankConflictLoad, FindingKind::kBankConflictStore}, examine};
}

}  // namespace gpuprobe::diagnose
