#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "report/format.h"
#include "report/text/sections.h"

namespace gpuprobe::report {
namespace {

void write_metrics(Page& page, const Counters& counters) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, metric] : counters.all())
    if (const auto* value = std::get_if<Value>(&metric))
      rows.push_back({name, printable(quantity(*value)), std::string(to_string(value->origin))});
  if (rows.empty()) return;
  page.table(0, {{"metric", Align::kLeft}, {"value", Align::kRight}, {"origin", Align::kLeft}}, rows);

  bool titled = false;
  for (const auto& [name, metric] : counters.all()) {
    const auto* value = std::get_if<Value>(&metric);
    if (!value || value->counters.empty()) continue;
    if (!titled) {
      page.blank();
      page.text(0, "source counters", Tone::kFaint);
      titled = true;
    }
    std::string text = name + ":";
    for (const std::string& counter : value->counters) text += " " + counter;
    page.text(2, text);
  }
}

void write_all_sites(Page& page, const std::vector<Site>& sites) {
  if (sites.empty()) return;
  std::vector<const Site*> sorted;
  for (const Site& site : sites) sorted.push_back(&site);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Site* a, const Site* b) {
    return std::tie(a->file, a->line, a->instruction) < std::tie(b->file, b->line, b->instruction);
  });
  std::vector<std::vector<std::string>> rows;
  for (const Site* site : sorted) {
    const bool used = site->requests > 0;
    rows.push_back(
        {printable(place(site->file, site->line, site->instruction)), std::string(to_string(site->access)),
         count(site->width), count(site->requests), used ? per_request(site->actual / site->requests) : "-",
         used ? per_request(site->ideal / site->requests) : "-",
         used ? fmt::format("{:.1f}{}", site->active_lanes, site->depends_on_merging ? " ~" : "") : "-"});
  }
  page.table(0,
             {{"access", Align::kLeft},
              {"kind", Align::kLeft},
              {"B", Align::kRight},
              {"requests", Align::kRight},
              {"actual", Align::kRight},
              {"ideal", Align::kRight},
              {"lanes", Align::kRight}},
             rows);
  if (std::any_of(sites.begin(), sites.end(), [](const Site& site) { return site.depends_on_merging; }))
    page.text(0, "~ the count changes if the assembler merges neighbouring accesses", Tone::kFaint);
}

}  // namespace

void write_details(Page& page, const Run& run) {
  write_all_sites(page, run.sites);
  if (!run.sites.empty()) page.blank();
  write_metrics(page, run.counters);
}

}  // namespace gpuprobe::report
