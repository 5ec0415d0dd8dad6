// Atomics whose lanes hit the same word are served one after the other: contention, which no padding cures
// and which must not be called scattering (the sectors of a red on one word read 32) or a bank conflict.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/access/relief.h"
#include "diagnose/phrase.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

/// Lanes of one request on one word from which the serialisation is worth naming: a histogram of 256 bins
/// over random data has 1.9 by chance.
constexpr double kContendedLanes = 2.5;
/// L2 applies the atomics of all lanes on one word one after the other: 16.8 million took 12.3 ms on an H200,
/// 0.69 in a cycle of its SMs.
constexpr double kAtomicsPerCycleAndWord = 0.69;

struct Contended {
  std::vector<Site> sites;
  double requests = 0;
  double excess = 0;  ///< wavefronts, or sectors, above the ideal
  double lanes = 0;   ///< requests x lanes on the most wanted word
};

Contended contended(const AccessTotals& totals) {
  Contended found;
  for (const Site* site : totals.sites) {
    if (site->same_address_lanes < kContendedLanes) continue;
    found.sites.push_back(*site);
    found.requests += site->requests;
    found.excess += std::max(0.0, site->excess());
    found.lanes += site->requests * site->same_address_lanes;
  }
  std::stable_sort(found.sites.begin(), found.sites.end(), [](const Site& a, const Site& b) {
    return a.requests * a.same_address_lanes > b.requests * b.same_address_lanes;
  });
  return found;
}

Finding describe(const Context& context, const Contended& found, const char* noun, Gain gain) {
  Finding finding;
  finding.kind = FindingKind::kAtomicContention;
  finding.gain = std::move(gain);
  finding.severity = severity_of(*finding.gain);
  finding.sites = found.sites;
  const double lanes = found.sites.front().same_address_lanes;
  finding.text = fmt::format("{} atomics contend{}: {:.1f} lanes of a request want the same word", noun,
                             at_place(finding.sites), lanes);
  finding.evidence.push_back(
      {"site", lanes, Unit::kThread,
       fmt::format("{:.1f} lanes on one word, {} requests", lanes, grouped(found.requests))});
  const std::string own = own_cure(context.run, finding.kind);
  finding.cure =
      own.empty()
          ? "combine in the warp first (__reduce_add_sync, or a shuffle tree) and let one lane do the "
            "atomic, or give each warp or block a private copy and merge at the end"
          : own;
  return finding;
}

std::vector<Finding> examine(const Context& context) {
  std::vector<Finding> findings;
  if (const Contended found = contended(context.traffic.shared_atomic); !found.sites.empty())
    findings.push_back(
        describe(context, found, "shared", context.cost.gain_without(shared_relief(found.excess))));
  if (const Contended found = contended(context.traffic.global_atomic); !found.sites.empty()) {
    // If all requests want one word, the lanes pass L2 one a cycle; if each has its own, they do not wait.
    const double queued = found.lanes * context.cost.work().seconds_per_tag_line *
                          context.run.device.sm_count / kAtomicsPerCycleAndWord;
    Gain gain = context.cost.gain_without_queue(queued);
    findings.push_back(describe(context, found, "global", std::move(gain)));
  }
  return findings;
}

}  // namespace

Rule atomics_rule();
Rule atomics_rule() {
  return {
      "atomics",
      {FindingKind::kAtomicContention},
      examine,
      {fmt::format("contended from {:.1f} lanes on one word on: 256 bins over random data have 1.9 by chance",
                   kContendedLanes)}};
}

}  // namespace gpuprobe::diagnose
