#include "cli/attribution.h"

#include <algorithm>
#include <cmath>

namespace gpuprobe::cli {
namespace {

bool same_place(const Site& a, const Site& b) {
  return a.line != 0 && a.line == b.line && a.access == b.access && a.file == b.file;
}

const Site* counterpart(const Site& site, const Run& predicted) {
  const Site* best = nullptr;
  for (const Site& other : predicted.sites) {
    if (!other.worst || !same_place(site, other)) continue;
    if (other.width == site.width) return &other;
    if (!best || other.excess() > best->excess()) best = &other;
  }
  return best;
}

/// Adds what only addresses tell, scaled to the measured counts; nothing if the two counted differently.
void attach(Site& site, const Site& predicted) {
  constexpr double kSameCount = 0.01;
  site.worst = predicted.worst;
  // How many lanes want one word is a matter of addresses alone; what an atomic costs is counted otherwise.
  site.same_address_lanes = predicted.same_address_lanes;
  if (site.requests <= 0 || predicted.requests <= 0) return;
  const double scale = site.requests / predicted.requests;
  if (std::abs(site.actual - scale * predicted.actual) > kSameCount * site.actual) return;
  site.misaligned_excess = scale * predicted.misaligned_excess;
  site.lines = scale * predicted.lines;
}

}  // namespace

/// The one predicted site of this kind and width that no line claims, if `site` is also the only such one.
const Site* only_other(const Site& site, const Run& measured, const Run& predicted) {
  const auto like = [&site](const Site& other) {
    return other.access == site.access && other.width == site.width;
  };
  const Site* found = nullptr;
  for (const Site& other : predicted.sites) {
    if (!other.worst || !like(other)) continue;
    const bool claimed = std::any_of(measured.sites.begin(), measured.sites.end(),
                                     [&](const Site& mine) { return same_place(mine, other); });
    if (claimed) continue;
    if (found) return nullptr;
    found = &other;
  }
  const auto lost = std::count_if(measured.sites.begin(), measured.sites.end(), [&](const Site& mine) {
    return like(mine) && !mine.worst && !counterpart(mine, predicted);
  });
  return lost == 1 ? found : nullptr;
}

void attach_addresses(Run& measured, const Run& predicted) {
  for (Site& site : measured.sites) {
    if (site.worst) continue;
    if (const Site* other = counterpart(site, predicted)) attach(site, *other);
  }
  // The assembler's line table loses call sites: an atomic of a header can carry the line of its neighbour.
  for (Site& site : measured.sites) {
    if (site.worst || counterpart(site, predicted)) continue;
    const Site* other = only_other(site, measured, predicted);
    if (!other) continue;
    site.file = other->file;
    site.line = other->line;
    attach(site, *other);
  }
}

}  // namespace gpuprobe::cli
