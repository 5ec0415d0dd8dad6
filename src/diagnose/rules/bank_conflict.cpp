// Shared-memory accesses of one request whose lanes want different words of one bank: they are served one
// after the other. Judged by exact wavefronts against the ideal for the same lanes and width. The hardware's
// own conflict counter includes arbitration with other users of the data stage and is non-zero without any
// address conflict, so it is only explained here, never believed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnose/access/relief.h"
#include "diagnose/cure/shared_layout.h"
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

/// The search tried every padding up to a full turn of the banks and every XOR of the row into the column.
constexpr const char* kNoLayout =
    "no padding or XOR swizzle of the rows frees all accesses to this array at once: change which lane takes "
    "which "
    "element, or stage loads and stores in two arrays";

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

bool equal_partners(const LanePattern& pattern, std::uint32_t distance) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t partner = lane ^ distance;
    const bool both = ((pattern.active >> lane) & 1u) != 0 && ((pattern.active >> partner) & 1u) != 0;
    if (both && pattern.address[lane] != pattern.address[partner]) return false;
  }
  return true;
}

/// Loads of 8 and 16 bytes whose lanes i and i^2 agree (and i and i^1 do not) have their phases merged by the
/// hardware, and the merged group can conflict with itself. It costs no more than without merging would, and
/// no padding removes it (measured on an H200: lane i at width x (i & ~2)).
bool made_by_merging(const Site& site) {
  if (site.access != AccessKind::kSharedLoad || site.width < 8 || !site.worst) return false;
  const double unmerged = site.requests * std::ceil(site.active_lanes * site.width / 128.0);
  return site.actual <= unmerged && !equal_partners(*site.worst, 1) && equal_partners(*site.worst, 2);
}

struct Part {
  FindingKind kind;
  const AccessTotals& totals;
  const char* noun;
  const char* metrics;
  Trust::Area area;
};

/// Excess wavefronts that a layout could save.
double curable_excess(const AccessTotals& totals) {
  double excess = totals.excess();
  for (const Site* site : totals.sites)
    if (made_by_merging(*site)) excess -= std::max(0.0, site->excess());
  return std::max(0.0, excess);
}

bool conflicts(const Context& context, const Part& part) {
  return part.totals.known() && curable_excess(part.totals) > 0 && context.trust.holds(part.area);
}

void examine_part(const Context& context, const Part& part, double all_excess,
                  std::vector<Finding>& findings) {
  const AccessTotals& totals = part.totals;
  const double excess = curable_excess(totals);
  Finding finding;
  finding.kind = part.kind;
  const Gain own = context.cost.gain_without(shared_relief(excess));
  finding.severity = severity_of(own);
  if (finding.severity == Severity::kNegligible && excess < kWorthALine * totals.actual) return;
  // Loads and stores share the layout, so one change cures both; the severity is that of this part alone.
  finding.gain = own;
  if (excess < all_excess * (1.0 - kWorthALine)) {
    finding.gain = context.cost.gain_without(shared_relief(all_excess));
    finding.gain->reasoning += "; one change of layout cures loads and stores";
  }
  for (const Site* site : totals.sites)
    if (site->excess() > 0 && !made_by_merging(*site)) finding.sites.push_back(*site);
  const Site* worst = finding.sites.empty() ? nullptr : &finding.sites.front();
  finding.text = worst ? fact(part.noun, worst, worst->requests, worst->actual, worst->ideal)
                       : fact(part.noun, nullptr, totals.requests, totals.actual, totals.ideal);
  const std::string prefix(part.metrics);
  finding.evidence.push_back(
      {prefix + "conflict_degree", totals.ratio(), Unit::kRatio,
       fmt::format("{} wavefronts, {} without conflicts", grouped(totals.actual), grouped(totals.ideal))});
  finding.evidence.push_back({prefix + "excess_wavefronts", excess, Unit::kWavefront,
                              fmt::format("{} wavefronts are excess", grouped(excess))});
  const SharedLayoutCure layout = worst ? shared_layout_cure(context.run, *worst) : SharedLayoutCure{};
  finding.cure = own_cure(context.run, part.kind);
  if (finding.cure.empty())
    finding.cure = !layout.text.empty() ? layout.text : layout.searched ? kNoLayout : kCure;
  finding.price = layout.price;
  for (const Site* site : totals.sites)
    if (site->excess() > 0 && site->depends_on_merging) {
      finding.evidence.push_back(
          {"site", site->excess(), Unit::kWavefront,
           "the count changes if the assembler merges neighbouring accesses" + at_place({*site})});
      break;
    }
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
      all_excess += curable_excess(part.totals);
    }
  std::stable_sort(flagged.begin(), flagged.end(), [](const Part* a, const Part* b) {
    return curable_excess(a->totals) > curable_excess(b->totals);
  });
  std::vector<Finding> findings;
  for (const Part* part : flagged) examine_part(context, *part, all_excess, findings);
  return findings;
}

}  // namespace

Rule bank_conflict_rule();
Rule bank_conflict_rule() {
  return {
      "bank_conflict",
      {FindingKind::kBankConflictLoad, FindingKind::kBankConflictStore},
      examine,
      {fmt::format("an excess that gains nothing is mentioned from {:.0f} % of the wavefronts of its kind on",
                   100 * kWorthALine),
       fmt::format("\"n-way\" is said up to an ideal of {:.2f} wavefronts a request", kOneWavefront)}};
}

}  // namespace gpuprobe::diagnose
