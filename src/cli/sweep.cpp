#include "cli/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/format.h"

namespace gpuprobe::cli {
namespace {

constexpr const char* kNone = "-";

/// Swept parameters in the family's order.
std::vector<std::string> swept_names(const KernelFamily& family, const SweptValues& swept) {
  std::vector<std::string> names;
  for (const Parameter& parameter : family.parameters)
    if (swept.count(parameter.name)) names.push_back(parameter.name);
  return names;
}

std::string number(const Run& run, const char* metric, const char* format) {
  const auto value = run.counters.number(metric);
  return value ? fmt::format(fmt::runtime(format), *value) : kNone;
}

/// Measured GFLOP/s for a kernel that computes, GB/s for one that moves data.
std::string rate(const Run& run) {
  const auto seconds = run.counters.number("time.duration");
  if (!seconds || *seconds <= 0) return kNone;
  if (run.useful_flops > 0) return report::quantity(run.useful_flops / *seconds, Unit::kFlopsPerSecond);
  if (run.useful_bytes > 0) return report::quantity(run.useful_bytes / *seconds, Unit::kBytesPerSecond);
  return kNone;
}

std::string time_of(const Run& run) {
  const Value* time = run.counters.value("time.duration");
  return time ? report::quantity(*time) : kNone;
}

std::vector<std::string> result_cells(const DiagnosedRun& one) {
  const Run& run = one.run;
  return {std::string(to_string(run.source)),
          time_of(run),
          rate(run),
          number(run, "global.load.sectors_per_request", "{:.2f}"),
          number(run, "global.store.sectors_per_request", "{:.2f}"),
          number(run, "shared.load.conflict_degree", "{:.2f}"),
          number(run, "shared.store.conflict_degree", "{:.2f}"),
          number(run, "occupancy.theoretical", "{:.4g}"),
          one.diagnosis.verdict.kind};
}

}  // namespace

Result<std::vector<TypedValues>> expand(const KernelFamily& family, const SweptValues& swept) {
  std::vector<TypedValues> combinations{{}};
  for (const std::string& name : swept_names(family, swept)) {
    const std::vector<std::string>& values = swept.find(name)->second;
    if (values.empty())
      return fail(ErrorCode::kUsage, "--" + name + " has no value", "give one, or several with commas");
    if (combinations.size() * values.size() > kMostCombinations)
      return fail(ErrorCode::kUsage,
                  fmt::format("the sweep has more than {} combinations", kMostCombinations),
                  "sweep fewer options at a time");
    std::vector<TypedValues> more;
    for (const TypedValues& combination : combinations)
      for (const std::string& value : values) {
        more.push_back(combination);
        more.back()[name] = value;
      }
    combinations = std::move(more);
  }
  return combinations;
}

std::vector<DiagnosedRun> all_runs(const std::vector<SweepRow>& rows) {
  std::vector<DiagnosedRun> runs;
  for (const SweepRow& row : rows) runs.insert(runs.end(), row.runs.begin(), row.runs.end());
  return runs;
}

Table sweep_table(const KernelFamily& family, const SweptValues& swept, const std::vector<SweepRow>& rows) {
  const std::vector<std::string> names = swept_names(family, swept);
  std::vector<std::string> header = names;
  for (const char* name : {"source", "time", "rate", "ld sec/req", "st sec/req", "ld conflict", "st conflict",
                           "occupancy %", "verdict"})
    header.emplace_back(name);
  Table table(header);
  for (const SweepRow& row : rows) {
    std::vector<std::string> values;
    for (const std::string& name : names) values.push_back(row.values.find(name)->second);
    if (row.runs.empty()) {
      std::vector<std::string> cells = values;
      cells.resize(header.size() - 1, kNone);
      cells.push_back("failed: " + row.failure);
      table.add(std::move(cells));
    }
    for (const DiagnosedRun& one : row.runs) {
      std::vector<std::string> cells = values;
      for (std::string& cell : result_cells(one)) cells.push_back(std::move(cell));
      table.add(std::move(cells));
    }
  }
  return table;
}

}  // namespace gpuprobe::cli
