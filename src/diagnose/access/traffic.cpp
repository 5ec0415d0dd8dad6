#include "diagnose/access/traffic.h"

#include <algorithm>
#include <string_view>

namespace gpuprobe::diagnose {
namespace {

/// The names under which a kind of access is counted; empty `prefix` = there are no such counters.
struct CounterNames {
  std::string_view prefix;
  std::string_view actual;
  std::string_view ideal;
};

constexpr CounterNames sector_counters(std::string_view prefix) {
  return {prefix, "sectors", "ideal_sectors"};
}
constexpr CounterNames wavefront_counters(std::string_view prefix) {
  return {prefix, "wavefronts", "ideal_wavefronts"};
}
/// Local memory is laid out by the compiler so that every lane's word is adjacent: nothing to be ideal
/// against.
constexpr CounterNames local_counters(std::string_view prefix) {
  return {prefix, "sectors", ""};
}

AccessTotals sum_sites(const Run& run, AccessKind kind) {
  AccessTotals totals;
  totals.kind = kind;
  bool all_lines_known = true;
  for (const Site& site : run.sites) {
    if (site.access != kind) continue;
    totals.sites.push_back(&site);
    totals.requests += site.requests;
    totals.actual += site.actual;
    totals.ideal += site.ideal;
    totals.lines += site.lines;
    all_lines_known = all_lines_known && (site.lines > 0 || site.requests <= 0);
  }
  if (!all_lines_known) totals.lines = 0;
  std::stable_sort(totals.sites.begin(), totals.sites.end(),
                   [](const Site* a, const Site* b) { return a->excess() > b->excess(); });
  return totals;
}

std::string missing(const Run& run, const std::string& name) {
  return name + ": " + run.counters.missing_reason(name);
}

/// Counters win over the site sums: they cover every access, also one that no line could be found for. A
/// number that neither has is said to be unknown, never taken for zero.
AccessTotals totals_of(const Run& run, AccessKind kind, const CounterNames& names) {
  AccessTotals totals = sum_sites(run, kind);
  const bool have_sites = !run.sites.empty();
  const std::string prefix(names.prefix);
  const auto requests = run.counters.number(prefix + "requests");
  if (!requests) {
    if (!have_sites) totals.unknown = missing(run, prefix + "requests");
    return totals;
  }
  const double site_requests = totals.requests;
  const double site_ratio = totals.ratio();
  totals.requests = *requests;
  if (totals.requests <= 0) {
    totals.actual = totals.ideal = totals.lines = 0;
    return totals;
  }
  if (const auto actual = run.counters.number(prefix + std::string(names.actual)))
    totals.actual = *actual;
  else if (site_requests <= 0)
    totals.unknown = missing(run, prefix + std::string(names.actual));
  if (names.ideal.empty()) {
    totals.ideal = totals.actual;
  } else if (const auto ideal = run.counters.number(prefix + std::string(names.ideal))) {
    totals.ideal = *ideal;
  } else if (site_requests > 0) {
    totals.ideal = totals.actual / site_ratio;
  } else if (totals.unknown.empty()) {
    totals.unknown = missing(run, prefix + std::string(names.ideal));
  }
  if (site_requests > 0) totals.lines *= totals.requests / site_requests;
  return totals;
}

}  // namespace

Traffic Traffic::of(const Run& run) {
  Traffic traffic;
  traffic.global_load = totals_of(run, AccessKind::kGlobalLoad, sector_counters("global.load."));
  traffic.global_store = totals_of(run, AccessKind::kGlobalStore, sector_counters("global.store."));
  traffic.global_atomic = sum_sites(run, AccessKind::kGlobalAtomic);
  traffic.shared_load = totals_of(run, AccessKind::kSharedLoad, wavefront_counters("shared.load."));
  traffic.shared_store = totals_of(run, AccessKind::kSharedStore, wavefront_counters("shared.store."));
  traffic.matrix_load = totals_of(run, AccessKind::kMatrixLoad, wavefront_counters("shared.matrix_load."));
  traffic.matrix_store = totals_of(run, AccessKind::kMatrixStore, wavefront_counters("shared.matrix_store."));
  traffic.shared_atomic = totals_of(run, AccessKind::kSharedAtomic, wavefront_counters("shared.atomic."));
  traffic.async_copy = totals_of(run, AccessKind::kAsyncCopyShared, wavefront_counters("shared.async_copy."));
  traffic.local_load = totals_of(run, AccessKind::kLocalLoad, local_counters("local.load."));
  traffic.local_store = totals_of(run, AccessKind::kLocalStore, local_counters("local.store."));
  return traffic;
}

}  // namespace gpuprobe::diagnose
