#include "metrics/catalog.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "metrics/catalog_rows.h"

namespace gpuprobe {
namespace catalog {

const std::vector<std::string>& chips_from_hopper() {
  static const std::vector<std::string> kChips = {"gh100", "gb100", "gb102", "gb110", "gb10b", "gb202",
                                                  "gb203", "gb205", "gb206", "gb207", "gb20b"};
  return kChips;
}

const std::vector<std::string>& chips_from_ampere() {
  static const std::vector<std::string> kChips = [] {
    std::vector<std::string> chips = {"ga100", "ga102", "ga103", "ga104", "ga106", "ga107",
                                      "ga10b", "ad102", "ad103", "ad104", "ad106", "ad107"};
    chips.insert(chips.end(), chips_from_hopper().begin(), chips_from_hopper().end());
    return chips;
  }();
  return kChips;
}

const std::vector<std::string>& chips_before_blackwell() {
  static const std::vector<std::string> kChips = [] {
    std::vector<std::string> chips;
    for (const std::string& chip : catalog_chips())
      if (chip.rfind("gb", 0) != 0) chips.push_back(chip);
    return chips;
  }();
  return kChips;
}

MetricRow counter_row(std::string name, Unit unit, std::string help, std::string counter,
                      std::vector<std::string> chips) {
  MetricRow row;
  row.name = std::move(name);
  row.unit = unit;
  row.help = std::move(help);
  row.kind = MetricRow::Kind::kCounter;
  row.bindings.push_back({std::move(chips), std::move(counter), 1.0});
  return row;
}

MetricRow ratio_row(std::string name, Unit unit, std::string help, std::string numerator,
                    std::string denominator, double scale) {
  MetricRow row;
  row.name = std::move(name);
  row.unit = unit;
  row.help = std::move(help);
  row.kind = MetricRow::Kind::kRatio;
  row.numerator = std::move(numerator);
  row.denominator = std::move(denominator);
  row.ratio_scale = scale;
  return row;
}

MetricRow largest_row(std::string name, Unit unit, std::string help, std::vector<std::string> parts) {
  MetricRow row;
  row.name = std::move(name);
  row.unit = unit;
  row.help = std::move(help);
  row.kind = MetricRow::Kind::kLargest;
  row.parts = std::move(parts);
  return row;
}

MetricRow static_row(std::string name, Unit unit, std::string help, bool needs_gpu) {
  MetricRow row;
  row.name = std::move(name);
  row.unit = unit;
  row.help = std::move(help);
  row.kind = MetricRow::Kind::kStatic;
  row.needs_gpu = needs_gpu;
  return row;
}

MetricRow site_row(std::string name, Unit unit, std::string help) {
  MetricRow row = static_row(std::move(name), unit, std::move(help));
  row.kind = MetricRow::Kind::kSite;
  return row;
}

MetricRow gpu_only(MetricRow row) {
  row.needs_gpu = true;
  return row;
}

}  // namespace catalog

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The sum over sites that a metric name stands for: which accesses, and which of their numbers.
struct SiteSum {
  AccessKind access;
  double (*term)(const Site&);
};

std::optional<SiteSum> site_sum(std::string_view metric) {
  const std::size_t dot = metric.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto access = access_kind_from_string(metric.substr(0, dot));
  if (!access) return std::nullopt;
  const std::string_view quantity = metric.substr(dot + 1);
  const std::string_view cost = is_shared(*access) ? "wavefronts" : "sectors";
  if (quantity == "requests") return SiteSum{*access, [](const Site& site) { return site.requests; }};
  if (quantity == cost) return SiteSum{*access, [](const Site& site) { return site.actual; }};
  if (quantity == "ideal_" + std::string(cost))
    return SiteSum{*access, [](const Site& site) { return site.ideal; }};
  if (quantity == "excess_" + std::string(cost))
    return SiteSum{*access, [](const Site& site) { return site.excess(); }};
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& catalog_chips() {
  static const std::vector<std::string> kChips = {
      "tu102", "tu104", "tu106", "tu116", "tu117", "ga100", "ga102", "ga103", "ga104", "ga106",
      "ga107", "ga10b", "ad102", "ad103", "ad104", "ad106", "ad107", "gh100", "gb100", "gb102",
      "gb110", "gb10b", "gb202", "gb203", "gb205", "gb206", "gb207", "gb20b"};
  return kChips;
}

const std::vector<MetricRow>& metric_catalog() {
  static const std::vector<MetricRow> kRows = [] {
    std::vector<MetricRow> rows = catalog::access_rows();
    for (auto* group : {&catalog::residency_rows, &catalog::utilization_rows}) {
      std::vector<MetricRow> more = (*group)();
      std::move(more.begin(), more.end(), std::back_inserter(rows));
    }
    return rows;
  }();
  return kRows;
}

const MetricRow* find_metric(std::string_view name) {
  for (const MetricRow& row : metric_catalog())
    if (row.name == name) return &row;
  return nullptr;
}

const CounterBinding* binding_for(const MetricRow& row, std::string_view chip) {
  const std::string name = lower(chip);
  for (const CounterBinding& binding : row.bindings)
    if (binding.chips.empty() ||
        std::find(binding.chips.begin(), binding.chips.end(), name) != binding.chips.end())
      return &binding;
  return nullptr;
}

void sum_sites(Counters& counters, const std::vector<Site>& sites, Origin origin, std::string_view why_none) {
  for (const MetricRow& row : metric_catalog()) {
    if (counters.find(row.name)) continue;
    const auto sum = site_sum(row.name);
    if (!sum) continue;
    if (sites.empty() && !why_none.empty()) {
      counters.set_missing(row.name, std::string(why_none));
      continue;
    }
    double total = 0;
    for (const Site& site : sites)
      if (site.access == sum->access) total += sum->term(site);
    counters.set(row.name, {total, row.unit, origin, {}});
  }
}

void derive_largest(Counters& counters) {
  for (const MetricRow& row : metric_catalog()) {
    if (row.kind != MetricRow::Kind::kLargest || counters.find(row.name)) continue;
    const Value* largest = nullptr;
    for (const std::string& part : row.parts)
      if (counters.number(part) && (!largest || *counters.number(part) > std::get<double>(largest->value)))
        largest = counters.value(part);
    if (largest) counters.set(row.name, *largest);
  }
}

void derive_ratios(Counters& counters) {
  for (const MetricRow& row : metric_catalog()) {
    if (row.kind != MetricRow::Kind::kRatio) continue;
    const auto top = counters.number(row.numerator);
    const auto bottom = counters.number(row.denominator);
    if (!top || !bottom) {
      if (counters.value(row.name)) continue;  // a recording may keep the ratio without its parts
      counters.set_missing(row.name, counters.missing_reason(top ? row.denominator : row.numerator));
    } else if (*bottom == 0) {
      counters.set_missing(row.name, "no " + row.denominator);
    } else {
      const Value* numerator = counters.value(row.numerator);
      const Value* denominator = counters.value(row.denominator);
      std::vector<std::string> made_of = numerator->counters;
      made_of.insert(made_of.end(), denominator->counters.begin(), denominator->counters.end());
      counters.set(row.name, {*top / *bottom * row.ratio_scale, row.unit, numerator->origin, made_of});
    }
  }
}

}  // namespace gpuprobe
