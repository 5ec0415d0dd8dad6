#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "report/draw.h"
#include "report/format.h"
#include "report/text/sections.h"

namespace gpuprobe::report {
namespace {

constexpr const char* kUnknown = "-";

std::string cell(std::optional<double> number) {
  return number ? count(*number) : kUnknown;
}

std::string ratio_cell(std::optional<double> numerator, std::optional<double> denominator) {
  if (!numerator || !denominator || *denominator == 0) return kUnknown;
  return per_request(*numerator / *denominator);
}

/// A row of the traffic table, or nothing if the run does not know the access or makes none of it.
std::optional<std::vector<std::string>> traffic_row(const Counters& counters, const std::string& title,
                                                    const std::string& access, const std::string& cost) {
  const auto requests = counters.number(access + ".requests");
  const auto actual = counters.number(access + "." + cost);
  const auto ideal = counters.number(access + ".ideal_" + cost);
  if (!requests && !actual) return std::nullopt;
  if (requests.value_or(0) == 0 && actual.value_or(0) == 0) return std::nullopt;
  return std::vector<std::string>{title, cell(requests), cell(actual), ratio_cell(actual, requests),
                                  ratio_cell(ideal, requests)};
}

void write_traffic(Page& page, const Counters& counters) {
  using Access = std::pair<const char*, const char*>;
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* unit, const std::string& cost, std::initializer_list<Access> accesses) {
    bool titled = false;
    for (const auto& [title, access] : accesses) {
      auto row = traffic_row(counters, title, access, cost);
      if (!row) continue;
      if (!titled) rows.push_back({"", "requests", unit, "per request", "ideal"});
      titled = true;
      rows.push_back(std::move(*row));
    }
  };
  add("sectors", "sectors",
      {{"global loads", "global.load"},
       {"global stores", "global.store"},
       {"global atomics", "global.atomic"},
       {"local loads", "local.load"},
       {"local stores", "local.store"}});
  add("wavefronts", "wavefronts",
      {{"shared loads", "shared.load"},
       {"shared stores", "shared.store"},
       {"shared atomics", "shared.atomic"},
       {"ldmatrix", "shared.matrix_load"},
       {"stmatrix", "shared.matrix_store"},
       {"cp.async", "shared.async_copy"}});
  if (rows.empty()) return;
  const Column number{"", Align::kRight};
  page.table(0, {{"", Align::kLeft}, number, number, number, number}, rows);
}

void write_hardware_conflicts(Page& page, const Counters& counters) {
  const auto loads = counters.number("shared.conflicts_hw.load");
  const auto stores = counters.number("shared.conflicts_hw.store");
  if (loads.value_or(0) == 0 && stores.value_or(0) == 0) return;
  page.text(0,
            fmt::format("hardware conflict counters, arbitration included: loads {}, stores {}", cell(loads),
                        cell(stores)),
            Tone::kFaint);
}

std::string joined(const std::vector<Resource>& resources) {
  std::string text;
  for (std::size_t i = 0; i < resources.size(); ++i)
    text += (i == 0 ? "" : i + 1 == resources.size() ? " and " : ", ") + std::string(to_string(resources[i]));
  return text;
}

std::string occupancy_line(const OccupancyTable& table, const Counters& counters) {
  if (table.blocks_per_sm == 0)
    return "occupancy 0 %: this launch cannot run; limited by " + joined(table.limiters);
  std::string text = fmt::format(
      "occupancy {} theoretical: {} of {} an SM", quantity(table.theoretical_percent, Unit::kPercent),
      counted(table.blocks_per_sm, "block"), counted(table.warps_per_block, "warp"));
  if (!table.limiters.empty()) text += ", limited by " + joined(table.limiters);
  if (const auto achieved = counters.number("occupancy.achieved"))
    text += fmt::format("; {} achieved", quantity(*achieved, Unit::kPercent));
  return text;
}

void write_carveouts(Page& page, const OccupancyTable& table) {
  if (table.shared_per_block == 0 || table.at_carveouts.empty()) return;
  // A carve-out only matters where it would hold fewer blocks than the others allow.
  std::string text;
  for (const auto& at : table.at_carveouts)
    if (at.blocks_per_sm < table.blocks_per_sm)
      text += fmt::format("{}{} KiB {}", text.empty() ? "" : ", ", at.carveout_kib, at.blocks_per_sm);
  if (!text.empty())
    page.text(2, "blocks an SM if the driver carves out less shared memory: " + text, Tone::kFaint);
}

void write_occupancy(Page& page, const Run& run) {
  if (run.occupancy.empty()) {
    const auto theoretical = run.counters.number("occupancy.theoretical");
    const auto achieved = run.counters.number("occupancy.achieved");
    if (!theoretical && !achieved) return;
    std::string text = "occupancy";
    if (theoretical) text += fmt::format(" {} theoretical", quantity(*theoretical, Unit::kPercent));
    if (const auto limiter = run.counters.text("occupancy.limiter")) text += ", limited by " + *limiter;
    if (achieved)
      text += fmt::format("{} {} achieved", theoretical ? ";" : "", quantity(*achieved, Unit::kPercent));
    page.text(0, text);
    return;
  }
  const OccupancyTable& table = run.occupancy.front();
  std::string line = occupancy_line(table, run.counters);
  if (table.waves > 0) line += fmt::format("; {} waves", per_request(table.waves));
  page.text(0, line);
  for (const std::string& row : draw_occupancy(table, {.color = page.style().colored()}))
    page.line("  " + row);
  write_carveouts(page, table);
}

/// "1.7 TB/s (35.1 % of peak)".
std::string rate(double per_second, double peak, Unit unit) {
  std::string text = quantity(per_second, unit);
  if (peak > 0) text += fmt::format(" ({} of peak)", quantity(100.0 * per_second / peak, Unit::kPercent));
  return text;
}

void write_time(Page& page, const Run& run) {
  std::optional<double> duration = run.counters.number("time.duration");
  if (run.timing) duration = run.timing->median_s;
  if (duration) {
    std::string text = "time " + quantity(*duration, Unit::kSecond);
    if (run.timing && run.timing->repeats > 1)
      text +=
          fmt::format(", median of {} ({} to {})", run.timing->repeats,
                      quantity(run.timing->min_s, Unit::kSecond), quantity(run.timing->max_s, Unit::kSecond));
    if (*duration > 0 && run.useful_bytes > 0)
      text += "; useful bandwidth " + rate(run.useful_bytes / *duration,
                                           run.device.rates.dram_bytes_per_second, Unit::kBytesPerSecond);
    if (*duration > 0 && run.useful_flops > 0)
      text += "; " + rate(run.useful_flops / *duration, run.device.rates.fp32_flops_per_second,
                          Unit::kFlopsPerSecond);
    page.text(0, text);
  }
  std::string units;
  const auto add = [&](const char* title, const char* metric) {
    if (const Value* value = run.counters.value(metric))
      units += fmt::format("{}{} {}", units.empty() ? "" : ", ", title, quantity(*value));
  };
  add("DRAM busy", "dram.utilization");
  add("read", "dram.read_bytes");
  add("written", "dram.write_bytes");
  add("L2 busy", "l2.utilization");
  add("L1 busy", "l1.utilization");
  add("issue slots busy", "issue.utilization");
  if (!units.empty()) page.text(0, units);
}

}  // namespace

void write_numbers(Page& page, const Run& run) {
  write_traffic(page, run.counters);
  write_hardware_conflicts(page, run.counters);
  write_occupancy(page, run);
  write_time(page, run);
}

}  // namespace gpuprobe::report
