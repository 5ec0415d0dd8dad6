// Lanes of a warp whose addresses lie further apart than their width: each touches a sector of its own.
// Judged against the ideal for the access's own width and active lanes, never against a fixed count of
// sectors.
#include "diagnose/access/global_finding.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

constexpr const char* kCure =
    "let neighbouring lanes (threadIdx.x) take neighbouring elements: exchange the roles of thread and loop "
    "index, "
    "stage the tile through shared memory, or turn an array of structs into one array a field";

std::vector<Finding> examine(const Context& context) {
  std::vector<Finding> findings;
  for (const AccessTotals* totals : {&context.traffic.global_load, &context.traffic.global_store}) {
    const Coalescing split = split_excess(context.run, *totals, context.traffic.async_copy);
    const bool is_load = totals->kind == AccessKind::kGlobalLoad;
    for (Finding& finding :
         global_finding(context, is_load ? FindingKind::kUncoalescedLoad : FindingKind::kUncoalescedStore,
                        *totals, split.scattered, std::string(noun_of(*totals)) + " are uncoalesced", kCure))
      findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

Rule uncoalesced_rule();
Rule uncoalesced_rule() {
  return {"uncoalesced",
          {FindingKind::kUncoalescedLoad, FindingKind::kUncoalescedStore},
          examine,
          {sectors_threshold()}};
}

}  // namespace gpuprobe::diagnose
