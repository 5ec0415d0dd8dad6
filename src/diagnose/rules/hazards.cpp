// Correctness problems that the source saw while it executed the kernel. They head the report whatever they
// cost: the time of a kernel that computes something else is nobody's concern.
#include <fmt/format.h>

#include "diagnose/phrase.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

struct Words {
  FindingKind kind;
  const char* cure;
};

Words words_for(HazardKind kind) {
  switch (kind) {
    case HazardKind::kSharedRace:
      return {FindingKind::kSharedRace,
              "put a barrier (__syncthreads) between the two accesses, on every path and in every iteration"};
    case HazardKind::kDivergentBarrier:
      return {FindingKind::kDivergentBarrier,
              "move the barrier out of the branch, so that all threads of the block reach the same one"};
    case HazardKind::kUninitialisedShared:
      return {FindingKind::kUninitialisedShared,
              "write every shared element before it is read, also at the edges of the tile"};
    case HazardKind::kOutOfBounds:
      return {FindingKind::kOutOfBounds, "guard the access with the size of the buffer"};
    case HazardKind::kMisalignedAccess:
      return {FindingKind::kMisalignedAddress,
              "use addresses that are multiples of the access width, or a narrower access"};
    case HazardKind::kBlockOrder:
      return {FindingKind::kBlockOrder,
              "let blocks work on separate results, combine them with atomics, or split the kernel in two "
              "launches"};
    case HazardKind::kBlockWait:
      return {FindingKind::kBlockWait,
              "give the loop an end that the block reaches by itself; where blocks must meet, end the "
              "kernel, or launch it "
              "cooperatively with a grid that fits the GPU"};
  }
  return {FindingKind::kOutOfBounds, ""};
}

bool in_shared_memory(HazardKind kind) {
  return kind == HazardKind::kSharedRace || kind == HazardKind::kUninitialisedShared;
}

/// The access that was counted at the place of the hazard, if one was; else the place alone.
Site site_at(const Context& context, const Location& location, HazardKind kind) {
  for (const Site& site : context.run.sites)
    if (site.file == location.file && site.line == location.line &&
        (!in_shared_memory(kind) || is_shared(site.access)))
      return site;
  Site site;
  site.file = location.file;
  site.line = location.line;
  if (in_shared_memory(kind)) site.access = AccessKind::kSharedLoad;
  return site;
}

std::vector<Finding> examine(const Context& context) {
  std::vector<Finding> findings;
  for (const Hazard& hazard : context.run.hazards) {
    const Words words = words_for(hazard.kind);
    Finding finding;
    finding.kind = words.kind;
    finding.severity = Severity::kLimiting;
    finding.text = hazard.text;
    for (const Location& location : hazard.locations)
      finding.sites.push_back(site_at(context, location, hazard.kind));
    finding.evidence.push_back({"site", static_cast<double>(hazard.count), Unit::kNone,
                                "seen " + counted(static_cast<double>(hazard.count), "time")});
    const std::string own = own_cure(context.run, finding.kind);
    finding.cure = own.empty() ? words.cure : own;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

Rule hazards_rule();
Rule hazards_rule() {
  return {"hazards",
          {FindingKind::kSharedRace, FindingKind::kDivergentBarrier, FindingKind::kUninitialisedShared,
           FindingKind::kOutOfBounds, FindingKind::kMisalignedAddress, FindingKind::kBlockOrder,
           FindingKind::kBlockWait},
          examine};
}

}  // namespace gpuprobe::diagnose
