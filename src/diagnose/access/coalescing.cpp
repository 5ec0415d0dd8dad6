#include "diagnose/access/coalescing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gpuprobe::diagnose {
namespace {

constexpr double kSectorBytes = 32.0;
constexpr std::uint32_t kWarpLanes = 32;
/// Totals of a whole kernel: how far the mean may lie from what one cause alone would give.
constexpr double kSameCount = 0.02;
/// Lanes of one row of the block, if the rows are shorter than a warp; 0 otherwise.
std::uint32_t lanes_per_row(const Run& run) {
  const Dim3& block = run.main_launch().block;
  return block.x < kWarpLanes && block.y * block.z > 1 ? block.x : 0;
}

/// True if the lanes of each block row lie side by side, and the rows do not.
bool is_rows_of(const LanePattern& pattern, std::uint32_t row) {
  bool some_gap = false;
  for (std::uint32_t lane = 1; lane < kWarpLanes; ++lane) {
    if (((pattern.active >> lane) & 1u) == 0 || ((pattern.active >> (lane - 1)) & 1u) == 0) continue;
    const bool adjacent = pattern.address[lane] == pattern.address[lane - 1] + pattern.width;
    if (lane % row == 0)
      some_gap = some_gap || !adjacent;
    else if (!adjacent)
      return false;
  }
  return some_gap;
}

/// Sectors of a full warp whose rows of `row` lanes lie apart, each starting on a sector.
double narrow_sectors(std::uint32_t row, double width) {
  return std::ceil(double{kWarpLanes} / row) * std::ceil(row * width / kSectorBytes);
}

void add(ExcessPart& part, const Site& site, double excess) {
  if (excess <= 0) return;
  part.excess += excess;
  part.requests += site.requests;
  part.actual += site.actual;
  part.ideal += site.ideal;
  part.sites.push_back(site);
}

void add_totals(ExcessPart& part, const AccessTotals& totals) {
  part.excess = totals.excess();
  part.requests = totals.requests;
  part.actual = totals.actual;
  part.ideal = totals.ideal;
}

bool copies_to_conflicting_shared(const Site& site, const AccessTotals& async_copy) {
  return std::any_of(async_copy.sites.begin(), async_copy.sites.end(), [&site](const Site* other) {
    return other->excess() > 0 && other->file == site.file && other->line == site.line &&
           other->instruction == site.instruction;
  });
}

/// A site whose addresses are not known: one more sector a request is what an unaligned start costs.
double misaligned_part(const Site& site) {
  const double per_request = site.requests > 0 ? site.excess() / site.requests : 0.0;
  const bool like_misaligned =
      per_request >= kMisalignedAtLeast && per_request <= kMisalignedExcessPerRequest * (1.0 + kSameCount);
  return like_misaligned ? site.excess() : std::clamp(site.misaligned_excess, 0.0, site.excess());
}

Coalescing from_sites(const Run& run, const AccessTotals& totals, const AccessTotals& async_copy) {
  Coalescing split;
  split.from_addresses = true;
  const std::uint32_t row = lanes_per_row(run);
  for (const Site* site : totals.sites) {
    double rest = site->excess();
    if (rest <= 0) continue;
    if (copies_to_conflicting_shared(*site, async_copy)) {
      add(split.async_copy, *site, rest);
      continue;
    }
    const double misaligned =
        site->worst ? std::clamp(site->misaligned_excess, 0.0, rest) : misaligned_part(*site);
    const bool narrow = row > 0 && site->worst && is_rows_of(*site->worst, row);
    if (narrow) {
      // Rows that start off a boundary and rows that are too short to fill a sector have one cure: a wider
      // block.
      add(split.narrow_block, *site, rest);
      continue;
    }
    add(split.misaligned, *site, misaligned);
    add(split.scattered, *site, rest - misaligned);
  }
  for (ExcessPart* part : {&split.scattered, &split.misaligned, &split.narrow_block, &split.async_copy})
    std::stable_sort(part->sites.begin(), part->sites.end(),
                     [](const Site& a, const Site& b) { return a.excess() > b.excess(); });
  return split;
}

/// Without addresses, the totals still tell: a narrow block gives one certain count, an unaligned start one
/// sector a request. Anything else is scattered.
Coalescing from_totals(const Run& run, const AccessTotals& totals) {
  Coalescing split;
  const double per_request = totals.requests > 0 ? totals.excess() / totals.requests : 0.0;
  const std::uint32_t row = lanes_per_row(run);
  const double width = totals.ideal_per_request();  // ideal sectors x 32 bytes / 32 lanes
  if (row > 0 && std::abs(totals.actual_per_request() - narrow_sectors(row, width)) <=
                     kSameCount * totals.actual_per_request())
    add_totals(split.narrow_block, totals);
  else if (per_request <= kMisalignedExcessPerRequest * (1.0 + kSameCount) &&
           per_request >= kMisalignedAtLeast)
    add_totals(split.misaligned, totals);
  else
    add_totals(split.scattered, totals);
  return split;
}

}  // namespace

Coalescing split_excess(const Run& run, const AccessTotals& totals, const AccessTotals& async_copy) {
  if (!totals.known() || totals.excess() <= 0) return {};
  return totals.sites.empty() ? from_totals(run, totals) : from_sites(run, totals, async_copy);
}

}  // namespace gpuprobe::diagnose
