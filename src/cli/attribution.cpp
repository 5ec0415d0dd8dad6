#include "cli/attribution.h"

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

}  // namespace

void attach_addresses(Run& measured, const Run& predicted) {
  for (Site& site : measured.sites) {
    if (site.worst) continue;
    if (const Site* other = counterpart(site, predicted)) site.worst = other->worst;
  }
}

}  // namespace gpuprobe::cli
