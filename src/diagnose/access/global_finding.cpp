#include "diagnose/access/global_finding.h"

#include <fmt/format.h>

#include "diagnose/access/relief.h"
#include "diagnose/phrase.h"
#include "diagnose/ranking.h"

namespace gpuprobe::diagnose {
std::string sectors_threshold() {
  return fmt::format("an excess that gains nothing is mentioned from {:.0f} % of the sectors of its kind on",
                     100 * kSectorsWorthALine);
}

const char* noun_of(const AccessTotals& totals) {
  return totals.kind == AccessKind::kGlobalLoad ? "global loads" : "global stores";
}

std::vector<Finding> global_finding(const Context& context, FindingKind kind, const AccessTotals& totals,
                                    const ExcessPart& part, const std::string& fact,
                                    const std::string& cure) {
  if (part.excess <= 0 || part.requests <= 0) return {};
  const bool is_load = totals.kind == AccessKind::kGlobalLoad;
  if (!context.trust.holds(is_load ? Trust::Area::kGlobalLoad : Trust::Area::kGlobalStore)) return {};

  Finding finding;
  finding.kind = kind;
  Relief relief = global_relief(context, totals, part.excess);
  relief.spreads_work = kind == FindingKind::kUncoalescedLoad || kind == FindingKind::kUncoalescedStore;
  finding.gain = context.cost.gain_without(relief);
  finding.severity = severity_of(*finding.gain);
  if (finding.severity == Severity::kNegligible && part.excess < kSectorsWorthALine * totals.actual)
    return {};
  finding.sites = part.sites;

  const Site* worst = part.sites.empty() ? nullptr : &part.sites.front();
  const double requests = worst ? worst->requests : part.requests;
  const double actual = worst ? worst->actual : part.actual;
  const double ideal = worst ? worst->ideal : part.ideal;
  finding.text = fmt::format("{}{}: {}", fact, at_place(finding.sites),
                             per_request(actual / requests, ideal / requests, "sectors"));
  const std::string prefix = is_load ? "global.load." : "global.store.";
  finding.evidence.push_back(
      {prefix + "sectors_per_request", totals.actual_per_request(), Unit::kSectorsPerRequest,
       per_request(totals.actual_per_request(), totals.ideal_per_request(), "sectors") + " over all " +
           noun_of(totals)});
  finding.evidence.push_back({worst ? "site" : prefix + "sectors", part.excess, Unit::kSector,
                              fmt::format("{} of {} sectors are excess of this kind", grouped(part.excess),
                                          grouped(totals.actual))});
  const std::string own = own_cure(context.run, kind);
  finding.cure = own.empty() ? cure : own;
  return {finding};
}

}  // namespace gpuprobe::diagnose
