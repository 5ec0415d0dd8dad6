#include "cli/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "metrics/catalog.h"
#include "report/format.h"

namespace gpuprobe::cli {
namespace {

// Two readings of the same count that went through text.
constexpr double kRounding = 1e-9;

struct Member {
  const NamedReport* report = nullptr;
  const DiagnosedRun* run = nullptr;
};
using Group = std::vector<Member>;

std::string invocation(const Run& run) {
  std::string key = run.kernel;
  for (const auto& [name, value] : run.options) key += "\n" + name + "=" + value;
  return key;
}

std::string configuration(const Run& run) {
  const Launch& launch = run.main_launch();
  return fmt::format("\n{},{},{} {},{},{} {} {},{},{} {}", launch.grid.x, launch.grid.y, launch.grid.z,
                     launch.block.x, launch.block.y, launch.block.z, launch.dynamic_shared, launch.cluster.x,
                     launch.cluster.y, launch.cluster.z, run.device.arch);
}

/// Invocations that occur more than once in one report.
std::map<std::string, bool> ambiguous_invocations(const std::vector<NamedReport>& reports) {
  std::map<std::string, bool> ambiguous;
  for (const NamedReport& report : reports) {
    std::map<std::string, int> seen;
    for (const DiagnosedRun& one : report.runs)
      if (++seen[invocation(one.run)] > 1) ambiguous[invocation(one.run)] = true;
  }
  return ambiguous;
}

std::vector<Group> group_runs(const std::vector<NamedReport>& reports) {
  const auto ambiguous = ambiguous_invocations(reports);
  std::vector<Group> groups;
  std::map<std::string, std::size_t> index;
  for (const NamedReport& report : reports) {
    std::map<std::string, int> seen;
    for (const DiagnosedRun& one : report.runs) {
      std::string key = invocation(one.run);
      if (ambiguous.count(key)) key += configuration(one.run);
      key +=
          fmt::format("\n{}", seen[key]++);  // the same once more: the n-th of one report is that of another
      const auto [place, added] = index.emplace(key, groups.size());
      if (added) groups.emplace_back();
      groups[place->second].push_back({&report, &one});
    }
  }
  return groups;
}

const Member& slowest(const Group& group) {
  const Member* best = &group.front();
  for (const Member& member : group)
    if (member.run->run.counters.number("time.duration").value_or(-1) >
        best->run->run.counters.number("time.duration").value_or(-1))
      best = &member;
  return *best;
}

double median(std::vector<double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// "time.duration: 1.0 ms to 1.4 ms, median 1.1 ms (most in report.3.json)"; empty if it is the same in all.
std::string spread_of(const Group& group, const MetricRow& row) {
  std::vector<std::pair<double, const NamedReport*>> values;
  for (const Member& member : group)
    if (const auto number = member.run->run.counters.number(row.name))
      values.emplace_back(*number, member.report);
  if (values.empty()) return "";
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto& [low, least] = values.front();
  const auto& [high, most] = values.back();
  const bool same = std::abs(high - low) <= kRounding * std::max(std::abs(low), std::abs(high));
  const bool everywhere = values.size() == group.size();
  if (same && everywhere) return "";
  std::vector<double> numbers;
  for (const auto& [number, report] : values) numbers.push_back(number);
  std::string text = row.name + ": ";
  text += same ? report::quantity(low, row.unit)
               : fmt::format("min {}, median {}, max {} (in {})", report::quantity(low, row.unit),
                             report::quantity(median(std::move(numbers)), row.unit),
                             report::quantity(high, row.unit), most->name);
  if (!everywhere)
    text += fmt::format("; missing in {} of {} reports", group.size() - values.size(), group.size());
  return text;
}

const Finding* find_kind(const DiagnosedRun& run, FindingKind kind) {
  for (const Finding& finding : run.diagnosis.findings)
    if (finding.kind == kind) return &finding;
  return nullptr;
}

/// Adds the findings of `kind` that other members have, and says where the kind occurred.
void merge_finding(DiagnosedRun& merged, const Group& group, FindingKind kind) {
  std::vector<std::string> with;
  std::vector<std::string> without;
  const Finding* first = nullptr;
  for (const Member& member : group) {
    const Finding* finding = find_kind(*member.run, kind);
    (finding ? with : without).push_back(member.report->name);
    if (finding && !first) first = finding;
  }
  if (!first || without.empty()) return;
  if (!find_kind(merged, kind)) {
    merged.diagnosis.findings.push_back(*first);
    merged.diagnosis.findings.back().text +=
        fmt::format(" (not in the slowest report; from {})", with.front());
  }
  const bool few_with = with.size() <= without.size();
  merged.run.notes.push_back(fmt::format("{} in {} of {} reports ({} {})", to_string(kind), with.size(),
                                         group.size(), few_with ? "in" : "not in",
                                         fmt::join(few_with ? with : without, ", ")));
}

void order_findings(Diagnosis& diagnosis) {
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
}

DiagnosedRun merge_group(const Group& group, std::size_t reports) {
  const Member& chosen = slowest(group);
  DiagnosedRun merged = *chosen.run;
  std::vector<std::string> notes;
  notes.swap(merged.run.notes);
  merged.run.notes.push_back(fmt::format("in {} of {} reports; shown is {}{}", group.size(), reports,
                                         chosen.report->name,
                                         group.size() > 1 ? ", where it took longest" : ""));
  if (!chosen.run->run.counters.number("time.duration"))
    merged.run.notes.back() =
        fmt::format("in {} of {} reports; shown is {}", group.size(), reports, chosen.report->name);
  if (group.size() > 1) {
    for (FindingKind kind : all_finding_kinds()) merge_finding(merged, group, kind);
    order_findings(merged.diagnosis);
    for (const MetricRow& row : metric_catalog())
      if (std::string text = spread_of(group, row); !text.empty())
        merged.run.notes.push_back(std::move(text));
  }
  std::move(notes.begin(), notes.end(), std::back_inserter(merged.run.notes));
  return merged;
}

}  // namespace

std::vector<DiagnosedRun> merge_reports(const std::vector<NamedReport>& reports) {
  std::vector<DiagnosedRun> merged;
  for (const Group& group : group_runs(reports)) merged.push_back(merge_group(group, reports.size()));
  return merged;
}

}  // namespace gpuprobe::cli
