#include "metrics/cupti/sass_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "metrics/catalog.h"

namespace gpuprobe::cupti {
namespace {

struct Operation {
  SassMetric metric;
  AccessKind access;
  const char* mnemonic;  ///< NVIDIA's name of the instruction class
};

constexpr std::array<Operation, 13> kOperations{{
    {SassMetric::kGlobalLoads, AccessKind::kGlobalLoad, "LDG"},
    {SassMetric::kGlobalStores, AccessKind::kGlobalStore, "STG"},
    {SassMetric::kGlobalAtomics, AccessKind::kGlobalAtomic, "ATOMG"},
    {SassMetric::kGlobalReductions, AccessKind::kGlobalAtomic, "REDG"},
    {SassMetric::kAsyncCopies, AccessKind::kGlobalLoad, "LDGSTS"},
    {SassMetric::kAsyncCopies, AccessKind::kAsyncCopyShared, "LDGSTS"},
    {SassMetric::kSharedLoads, AccessKind::kSharedLoad, "LDS"},
    {SassMetric::kSharedStores, AccessKind::kSharedStore, "STS"},
    {SassMetric::kSharedAtomics, AccessKind::kSharedAtomic, "ATOMS"},
    {SassMetric::kMatrixLoads, AccessKind::kMatrixLoad, "LDSM"},
    {SassMetric::kMatrixStores, AccessKind::kMatrixStore, "STSM"},
    {SassMetric::kLocalLoads, AccessKind::kLocalLoad, "LDL"},
    {SassMetric::kLocalStores, AccessKind::kLocalStore, "STL"},
}};

constexpr std::array<std::pair<SassMetric, std::uint32_t>, 5> kWidths{{
    {SassMetric::kWidth8, 1},
    {SassMetric::kWidth16, 2},
    {SassMetric::kWidth32, 4},
    {SassMetric::kWidth64, 8},
    {SassMetric::kWidth128, 16},
}};

constexpr double kLanes = 32;
constexpr std::uint32_t kMatrixRowBytes = 16;  ///< ldmatrix and stmatrix: a lane addresses a row of 16 bytes

double count(const SassRecord& record, SassMetric metric) {
  const auto found = record.counts.find(metric);
  return found == record.counts.end() ? 0 : found->second;
}

std::uint32_t width_of(const SassRecord& record, AccessKind access) {
  if (access == AccessKind::kMatrixLoad || access == AccessKind::kMatrixStore) return kMatrixRowBytes;
  for (const auto& [metric, bytes] : kWidths)
    if (count(record, metric) > 0) return bytes;
  return 4;
}

/// Phases in which a warp's shared access of this width is served (semantics: 32, 16 or 8 lanes at a time).
double phases_of(std::uint32_t width) {
  return width >= 16 ? 4 : width >= 8 ? 2 : 1;
}

double ideal_wavefronts(const SassRecord& record, const Site& site) {
  const double ideal = count(record, SassMetric::kIdealWavefronts);
  const bool partial = site.active_lanes < kLanes;
  if (!partial || site.width < 8) return ideal;
  return std::min(site.actual, std::max(ideal, site.requests * phases_of(site.width)));
}

void set_costs(Site& site, const SassRecord& record) {
  if (is_shared(site.access)) {
    site.actual = count(record, SassMetric::kWavefronts);
    site.ideal = ideal_wavefronts(record, site);
  } else if (site.access == AccessKind::kLocalLoad || site.access == AccessKind::kLocalStore) {
    // CUPTI has no ideal for local memory, whose layout the compiler interleaves by lane: it is what was
    // needed.
    site.actual = count(record, SassMetric::kLocalSectors);
    site.ideal = site.actual;
  } else {
    site.actual = count(record, SassMetric::kGlobalSectors);
    site.ideal = count(record, SassMetric::kGlobalIdealSectors);
    site.lines = count(record, SassMetric::kGlobalLines);
  }
}

/// The place of records[index] in the kernel's own file, or of its nearest neighbour there.
Location place_of(const std::vector<SassRecord>& records, const std::vector<Location>& places,
                  std::size_t index, const std::string& source_file) {
  const auto own = [&](std::size_t i) {
    return places[i].line > 0 && places[i].file == source_file &&
           records[i].function == records[index].function;
  };
  for (std::size_t i = index + 1; i-- > 0;)
    if (own(i)) return places[i];
  for (std::size_t i = index + 1; i < records.size(); ++i)
    if (own(i)) return places[i];
  return places[index];
}

}  // namespace

std::vector<Site> sites_of(const std::vector<SassRecord>& records, const LineLookup& lines,
                           const std::string& source_file) {
  std::vector<Location> places;
  for (const SassRecord& record : records) places.push_back(lines(record.function, record.offset));
  std::vector<Site> sites;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const SassRecord& record = records[i];
    for (const Operation& operation : kOperations) {
      const double requests = count(record, operation.metric);
      if (requests <= 0) continue;
      const Location place = place_of(records, places, i, source_file);
      Site site;
      site.file = place.file;
      site.line = place.line;
      site.function = record.function;
      site.access = operation.access;
      site.width = width_of(record, operation.access);
      site.requests = requests;
      site.active_lanes = std::min(kLanes, count(record, SassMetric::kThreads) / requests);
      site.instruction = fmt::format("{}.{} at 0x{:x}", operation.mnemonic, site.width * 8, record.offset);
      set_costs(site, record);
      sites.push_back(std::move(site));
    }
  }
  return sites;
}

void set_sass_counters(Counters& counters, const std::vector<SassRecord>& records,
                       const std::vector<Site>& sites, const std::string& chip) {
  const auto total = [&](SassMetric metric) {
    double sum = 0;
    for (const SassRecord& record : records) sum += count(record, metric);
    return sum;
  };
  Counters sums;
  sum_sites(sums, sites, Origin::kMeasured, "");
  sums.set("texture.instructions", {total(SassMetric::kTextures), Unit::kInstruction, Origin::kMeasured, {}});
  sums.set("tma.instructions", {total(SassMetric::kBulkCopies), Unit::kInstruction, Origin::kMeasured, {}});
  for (const MetricRow& row : metric_catalog()) {
    const Value* sum = sums.value(row.name);
    if (!sum || counters.find(row.name)) continue;
    if (row.kind == MetricRow::Kind::kCounter) {
      const CounterBinding* binding = binding_for(row, chip);
      if (!binding)
        counters.set_missing(row.name, "chip " + chip + " has no such instruction");
      else
        counters.set(row.name, {sum->value, row.unit, Origin::kMeasured, {binding->counter}});
    } else {
      counters.set(row.name, *sum);
    }
  }
}

}  // namespace gpuprobe::cupti
