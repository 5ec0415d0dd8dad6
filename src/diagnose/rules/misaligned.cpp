// Contiguous lanes that do not start on a 32-byte boundary touch one sector more than they had to: 5 of 4, 9
// of 8, 17 of 16. True, but at most a quarter of the sectors, and L1 serves most of it again; so it is seldom
// limiting.
#include <fmt/format.h>

#include "diagnose/access/global_finding.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

constexpr const char* kCure =
    "start each row on a 32-byte boundary: allocate rows with a pitch that is a multiple of 32 bytes, or "
    "shift the "
    "index so that lane 0 of a warp is aligned";

std::vector<Finding> examine(const Context& context) {
  std::vector<Finding> findings;
  for (const AccessTotals* totals : {&context.traffic.global_load, &context.traffic.global_store}) {
    const Coalescing split = split_excess(context.run, *totals, context.traffic.async_copy);
    for (Finding& finding :
         global_finding(context, FindingKind::kMisaligned, *totals, split.misaligned,
                        std::string(noun_of(*totals)) + " start off a 32-byte boundary", kCure)) {
      if (!split.from_addresses) finding.text += " (from the totals: no addresses were seen)";
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

}  // namespace

Rule misaligned_rule();
Rule misaligned_rule() {
  return {"misaligned",
          {FindingKind::kMisaligned},
          examine,
          {sectors_threshold(),
           fmt::format("without addresses: an excess of {:.2f} to {:.0f} sector a request; less is a few "
                       "scattered requests among many good ones, more is not a matter of the start",
                       kMisalignedAtLeast, kMisalignedExcessPerRequest)}};
}

}  // namespace gpuprobe::diagnose
