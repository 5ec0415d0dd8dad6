// Local memory: registers that did not fit (spills) and arrays indexed at run time. It is a thread's own part
// of global memory, laid out so that it is always coalesced; what it costs is the traffic.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/phrase.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

constexpr double kSectorsPerLine = 4.0;

std::vector<Finding> examine(const Context& context) {
  const AccessTotals& loads = context.traffic.local_load;
  const AccessTotals& stores = context.traffic.local_store;
  const double requests = loads.requests + stores.requests;
  if (requests <= 0) return {};
  const double sectors = loads.actual + stores.actual;
  const Traffic& traffic = context.traffic;
  const double global = traffic.global_load.actual + traffic.global_store.actual;

  Relief relief;
  relief.tag_lines = sectors / kSectorsPerLine;
  // Stores are written through to L2; loads mostly find them in L1.
  relief.l2_share = {stores.actual / std::max(1.0, global + sectors),
                     sectors / std::max(1.0, global + sectors)};
  if (const auto instructions = context.run.counters.number("issue.warp_instructions");
      instructions && *instructions > 0)
    relief.issue_share = std::min(1.0, requests / *instructions);

  Finding finding;
  finding.kind = FindingKind::kLocalMemory;
  finding.gain = context.cost.gain_without(relief);
  finding.severity = severity_of(*finding.gain);
  for (const AccessTotals* totals : {&loads, &stores})
    for (const Site* site : totals->sites) finding.sites.push_back(*site);
  std::stable_sort(finding.sites.begin(), finding.sites.end(),
                   [](const Site& a, const Site& b) { return a.requests > b.requests; });
  std::uint32_t stack = 0;
  int registers = 0;
  for (const FunctionResources& function : context.run.resources) {
    stack = std::max(stack, function.local_bytes);
    registers = std::max(registers, function.registers);
  }
  finding.text = fmt::format("{} requests go to local memory{}", grouped(requests), at_place(finding.sites));
  if (stack > 0) finding.text += fmt::format(": {} bytes of stack a thread", stack);
  finding.evidence.push_back(
      {"local.load.requests", loads.requests, Unit::kRequest,
       fmt::format("{} loads and {} stores", grouped(loads.requests), grouped(stores.requests))});
  if (registers > 0)
    finding.evidence.push_back({"launch.registers", static_cast<double>(registers), Unit::kRegister,
                                counted(registers, "register") + " a thread"});
  const std::string own = own_cure(context.run, finding.kind);
  finding.cure =
      own.empty()
          ? "index local arrays with constants (unroll the loop), keep fewer values alive, or allow more "
            "registers (__launch_bounds__, --maxrregcount)"
          : own;
  return {finding};
}

}  // namespace

Rule local_memory_rule();
Rule local_memory_rule() {
  return {"local_memory", {FindingKind::kLocalMemory}, examine};
}

}  // namespace gpuprobe::diagnose
