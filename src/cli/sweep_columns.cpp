#include "cli/sweep_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <variant>

#include "cli/suggest.h"
#include "metrics/catalog.h"
#include "report/format.h"

namespace gpuprobe::cli {
namespace {

constexpr const char* kNone = "-";

using Cell = std::string (*)(const DiagnosedRun&);

std::string metric(const Run& run, std::string_view name, const char* format) {
  const auto value = run.counters.number(name);
  return value ? fmt::format(fmt::runtime(format), *value) : kNone;
}

/// `work` a second, or nothing without a time.
std::optional<double> per_second(const Run& run, double work) {
  const auto seconds = run.counters.number("time.duration");
  if (!seconds || *seconds <= 0 || work <= 0) return std::nullopt;
  return work / *seconds;
}

std::string rate(const Run& run, double work, Unit unit) {
  const auto value = per_second(run, work);
  return value ? report::quantity(*value, unit) : kNone;
}

/// In percent of `peak`, which is 0 if it is not known.
std::string share(const Run& run, double work, double peak) {
  const auto value = per_second(run, work);
  return value && peak > 0 ? fmt::format("{:.3g}", 100 * *value / peak) : kNone;
}

std::string source(const DiagnosedRun& one) {
  return std::string(to_string(one.run.source));
}

std::string time(const DiagnosedRun& one) {
  const Value* value = one.run.counters.value("time.duration");
  return value ? report::quantity(*value) : kNone;
}

std::string bandwidth(const DiagnosedRun& one) {
  return rate(one.run, one.run.useful_bytes, Unit::kBytesPerSecond);
}

std::string bandwidth_share(const DiagnosedRun& one) {
  return share(one.run, one.run.useful_bytes, one.run.device.rates.dram_bytes_per_second);
}

std::string flops(const DiagnosedRun& one) {
  return rate(one.run, one.run.useful_flops, Unit::kFlopsPerSecond);
}

std::string flops_share(const DiagnosedRun& one) {
  return share(one.run, one.run.useful_flops, one.run.device.rates.fp32_flops_per_second);
}

/// GFLOP/s for a kernel that computes, GB/s for one that moves data.
std::string usual_rate(const DiagnosedRun& one) {
  return one.run.useful_flops > 0 ? flops(one) : bandwidth(one);
}

/// Floating-point operations of the problem for each element that a lane loads from global memory.
std::string flops_per_load(const DiagnosedRun& one) {
  double loads = 0;
  for (const Site& site : one.run.sites)
    if (site.access == AccessKind::kGlobalLoad) loads += site.requests * site.active_lanes;
  if (loads <= 0 || one.run.useful_flops <= 0) return kNone;
  return fmt::format("{:.3g}", one.run.useful_flops / loads);
}

std::string load_sectors(const DiagnosedRun& one) {
  return metric(one.run, "global.load.sectors_per_request", "{:.2f}");
}
std::string store_sectors(const DiagnosedRun& one) {
  return metric(one.run, "global.store.sectors_per_request", "{:.2f}");
}
std::string load_conflict(const DiagnosedRun& one) {
  return metric(one.run, "shared.load.conflict_degree", "{:.2f}");
}
std::string store_conflict(const DiagnosedRun& one) {
  return metric(one.run, "shared.store.conflict_degree", "{:.2f}");
}
std::string occupancy(const DiagnosedRun& one) {
  return metric(one.run, "occupancy.theoretical", "{:.4g}");
}
std::string verdict(const DiagnosedRun& one) {
  return one.diagnosis.verdict.kind;
}

struct Named {
  const char* name;
  const char* header;
  bool usual;
  Cell cell;
};

constexpr Named kNamed[] = {
    {"source", "source", true, source},
    {"time", "time", true, time},
    {"rate", "rate", true, usual_rate},
    {"bandwidth", "bandwidth", false, bandwidth},
    {"bandwidth-share", "% of DRAM peak", false, bandwidth_share},
    {"flops", "FLOP/s", false, flops},
    {"flops-share", "% of FP32 peak", false, flops_share},
    {"flops-per-load", "FLOP/load", false, flops_per_load},
    {"load-sectors", "ld sec/req", true, load_sectors},
    {"store-sectors", "st sec/req", true, store_sectors},
    {"load-conflict", "ld conflict", true, load_conflict},
    {"store-conflict", "st conflict", true, store_conflict},
    {"occupancy", "occupancy %", true, occupancy},
    {"verdict", "verdict", true, verdict},
};

SweepColumn metric_column(const MetricRow& row) {
  return {row.name, [name = row.name, unit = row.unit](const DiagnosedRun& one) -> std::string {
            const Value* value = one.run.counters.value(name);
            if (!value) return kNone;
            const auto* number = std::get_if<double>(&value->value);
            // Counts are given in full: the tables are compared with others' counts.
            const bool counted = unit == Unit::kRequest || unit == Unit::kSector ||
                                 unit == Unit::kWavefront || unit == Unit::kNone;
            return number && counted ? report::count(*number) : report::quantity(*value);
          }};
}

}  // namespace

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const Named& named : kNamed) names.emplace_back(named.name);
  return names;
}

Result<std::vector<SweepColumn>> sweep_columns(const std::vector<std::string>& names) {
  std::vector<SweepColumn> columns;
  if (names.empty()) {
    for (const Named& named : kNamed)
      if (named.usual) columns.push_back({named.header, named.cell});
    return columns;
  }
  for (const std::string& name : names) {
    const auto* const end = std::end(kNamed);
    const auto* const named =
        std::find_if(std::begin(kNamed), end, [&](const Named& each) { return name == each.name; });
    if (named != end) {
      columns.push_back({named->header, named->cell});
      continue;
    }
    const MetricRow* row = find_metric(name);
    if (!row) {
      std::vector<std::string> known = column_names();
      for (const MetricRow& each : metric_catalog()) known.push_back(each.name);
      return fail(ErrorCode::kUsage, "a sweep has no column '" + name + "'" + did_you_mean(name, known),
                  fmt::format("choose from {}, or a metric that `gpuprobe metrics` lists",
                              fmt::join(column_names(), ", ")));
    }
    columns.push_back(metric_column(*row));
  }
  return columns;
}

}  // namespace gpuprobe::cli
