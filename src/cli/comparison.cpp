#include "cli/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/baseline.h"
#include "cli/table.h"
#include "metrics/catalog.h"
#include "report/format.h"

namespace gpuprobe::cli {
namespace {

constexpr std::size_t kWidth = 80;

// Two readings of the same count that went through text.
constexpr double kRounding = 1e-9;

using Pairs = std::vector<std::pair<const DiagnosedRun*, const DiagnosedRun*>>;

std::string title(const Run& run) {
  std::string text = run.kernel;
  for (const auto& [name, value] : run.options) text += " --" + name + (value == "1" ? "" : " " + value);
  const std::string source =
      run.recorded_from.empty() ? std::string(to_string(run.source)) : run.recorded_from;
  return text + " (" + source + (run.device.name.empty() ? "" : ", " + run.device.name) + ")";
}

std::string shown(const Run& run, const MetricRow& row) {
  const Value* value = run.counters.value(row.name);
  return value ? report::quantity(*value) : "missing";
}

bool same(const Value* a, const Value* b) {
  if (!a || !b) return !a && !b;
  const double* one = std::get_if<double>(&a->value);
  const double* other = std::get_if<double>(&b->value);
  if (!one || !other) return a->value == b->value;
  return std::abs(*one - *other) <= kRounding * std::max(std::abs(*one), std::abs(*other));
}

std::string factor(const Run& before, const Run& after, const MetricRow& row) {
  const auto one = before.counters.number(row.name);
  const auto other = after.counters.number(row.name);
  if (!one || !other || *one == 0) return "";
  return fmt::format("x {:.3g}", *other / *one);
}

std::string changes(const Run& before, const Run& after) {
  Table table({"metric", "before", "after", "factor"});
  for (const MetricRow& row : metric_catalog())
    if (!same(before.counters.value(row.name), after.counters.value(row.name)))
      table.add({row.name, shown(before, row), shown(after, row), factor(before, after, row)});
  return table.rows().empty() ? "No metric differs.\n" : render(table, TableFormat::kText);
}

std::string time_line(const Run& before, const Run& after) {
  const auto one = before.counters.number("time.duration");
  const auto other = after.counters.number("time.duration");
  if (!one || !other || *one <= 0 || *other <= 0) return "Time: not measured in both, so no ratio.\n";
  std::string line = fmt::format("Time: {} before, {} after", report::quantity(*one, Unit::kSecond),
                                 report::quantity(*other, Unit::kSecond));
  if (before.device.name != after.device.name) return line + "; on different devices, so no ratio.\n";
  const bool faster = *other <= *one;
  return line + fmt::format(": {:.2f} times {}.\n", faster ? *one / *other : *other / *one,
                            faster ? "faster" : "slower");
}

std::vector<std::string> finding_names(const Diagnosis& diagnosis) {
  std::vector<std::string> names;
  for (const Finding& finding : diagnosis.findings)
    if (finding.severity != Severity::kNegligible) names.emplace_back(to_string(finding.kind));
  return names;
}

std::string only_in(const Diagnosis& one, const Diagnosis& other) {
  const std::vector<std::string> others = finding_names(other);
  std::string names;
  for (const std::string& name : finding_names(one))
    if (std::find(others.begin(), others.end(), name) == others.end())
      names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace

Pairs pair_runs(std::span<const DiagnosedRun> before, std::span<const DiagnosedRun> after) {
  Pairs pairs;
  std::vector<bool> taken(after.size(), false);
  std::vector<const DiagnosedRun*> left;
  for (const DiagnosedRun& one : before) {
    bool found = false;
    for (std::size_t i = 0; i < after.size() && !found; ++i) {
      if (taken[i] || !same_invocation(one.run, after[i].run)) continue;
      pairs.emplace_back(&one, &after[i]);
      taken[i] = found = true;
    }
    if (!found) left.push_back(&one);
  }
  std::size_t next = 0;
  for (const DiagnosedRun* one : left) {
    while (next < after.size() && taken[next]) ++next;
    if (next == after.size()) break;
    pairs.emplace_back(one, &after[next]);
    taken[next] = true;
  }
  return pairs;
}

std::string compare_runs(const DiagnosedRun& before, const DiagnosedRun& after) {
  std::string out =
      wrap("before: " + title(before.run), kWidth, 0) + wrap("after:  " + title(after.run), kWidth, 0);
  out += "\n" + time_line(before.run, after.run);
  const std::string& was = before.diagnosis.verdict.kind;
  const std::string& is = after.diagnosis.verdict.kind;
  out += was == is ? "Verdict: " + is + " in both.\n" : "Verdict: " + was + " before, " + is + " after.\n";
  if (const std::string gone = only_in(before.diagnosis, after.diagnosis); !gone.empty())
    out += wrap("Gone: " + gone + ".", kWidth, 0);
  if (const std::string fresh = only_in(after.diagnosis, before.diagnosis); !fresh.empty())
    out += wrap("New: " + fresh + ".", kWidth, 0);
  return out + "\n" + changes(before.run, after.run);
}

}  // namespace gpuprobe::cli
