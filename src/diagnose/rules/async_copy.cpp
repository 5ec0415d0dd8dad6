// cp.async writes shared memory itself. A destination whose 16-byte pieces fall into the same banks costs
// extra wavefronts, and twice the global sectors as well; no bank-conflict counter shows it (measured on an
// H200: destination pitch 128 bytes, 32 sectors in place of 16, 32 wavefronts in place of 4, all conflict
// counters 0).
#include <fmt/format.h>

#include "diagnose/access/coalescing.h"
#include "diagnose/access/relief.h"
#include "diagnose/phrase.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

/// Part of the wavefronts below which an excess that gains nothing is not even mentioned.
constexpr double kWorthALine = 0.05;

std::vector<Finding> examine(const Context& context) {
  const AccessTotals& copies = context.traffic.async_copy;
  if (!copies.known() || copies.excess() <= 0) return {};

  const ExcessPart global = split_excess(context.run, context.traffic.global_load, copies).async_copy;
  Relief relief = global_relief(context, context.traffic.global_load, global.excess);
  relief.lsu_wavefronts = copies.excess();

  Finding finding;
  finding.kind = FindingKind::kAsyncCopyConflict;
  finding.gain = context.cost.gain_without(relief);
  finding.severity = severity_of(*finding.gain);
  if (finding.severity == Severity::kNegligible && copies.excess() < kWorthALine * copies.actual) return {};
  for (const Site* site : copies.sites)
    if (site->excess() > 0) finding.sites.push_back(*site);
  const double requests = finding.sites.empty() ? copies.requests : finding.sites.front().requests;
  const double actual = finding.sites.empty() ? copies.actual : finding.sites.front().actual;
  const double ideal = finding.sites.empty() ? copies.ideal : finding.sites.front().ideal;
  finding.text = fmt::format(
      "cp.async writes into conflicting banks{}: {}", at_place(finding.sites),
      requests > 0 ? per_request(actual / requests, ideal / requests, "wavefronts")
                   : fmt::format("{} wavefronts where {} would do", grouped(actual), grouped(ideal)));
  finding.evidence.push_back({"shared.async_copy.excess_wavefronts", copies.excess(), Unit::kWavefront,
                              fmt::format("{} wavefronts are excess", grouped(copies.excess()))});
  if (global.excess > 0)
    finding.evidence.push_back({"site", global.excess, Unit::kSector,
                                fmt::format("the same copies read {} global sectors more than they had to",
                                            grouped(global.excess))});
  const std::string own = own_cure(context.run, finding.kind);
  finding.cure =
      own.empty() ? "spread the 16-byte pieces over the banks: pad each shared row by 16 bytes, or XOR the "
                    "piece index with the row"
                  : own;
  return {finding};
}

}  // namespace

Rule async_copy_rule();
Rule async_copy_rule() {
  return {"async_copy",
          {FindingKind::kAsyncCopyConflict},
          examine,
          {fmt::format("an excess that gains nothing is mentioned from {:.0f} % of the wavefronts on",
                       100 * kWorthALine)}};
}

}  // namespace gpuprobe::diagnose
