#include "cli/drawings.h"

#include <algorithm>

#include "model/memory/cost.h"

namespace gpuprobe::cli {
namespace {

bool same_access(const AccessDrawing& drawing, const Site& site) {
  return drawing.file == site.file && drawing.line == site.line && drawing.access == site.access &&
         drawing.instruction == site.instruction;
}

}  // namespace

AccessDrawing draw(const Site& site) {
  AccessDrawing drawing;
  drawing.file = site.file;
  drawing.line = site.line;
  drawing.instruction = site.instruction;
  drawing.access = site.access;
  drawing.pattern = *site.worst;
  // The rounds of other shared accesses (atomics, ldmatrix) follow rules of their own.
  if (site.access == AccessKind::kSharedLoad || site.access == AccessKind::kSharedStore)
    for (memory::ServiceRound& round :
         memory::service_rounds(*site.worst, site.access == AccessKind::kSharedLoad))
      drawing.rounds.push_back({round.phase, std::move(round.lanes)});
  return drawing;
}

std::vector<AccessDrawing> drawings_of(const Diagnosis& diagnosis) {
  std::vector<AccessDrawing> drawings;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity == Severity::kNegligible) continue;
    const auto site = std::find_if(finding.sites.begin(), finding.sites.end(),
                                   [](const Site& candidate) { return candidate.worst.has_value(); });
    if (site == finding.sites.end()) continue;
    const bool drawn = std::any_of(drawings.begin(), drawings.end(),
                                   [&](const AccessDrawing& other) { return same_access(other, *site); });
    if (!drawn) drawings.push_back(draw(*site));
  }
  return drawings;
}

}  // namespace gpuprobe::cli
