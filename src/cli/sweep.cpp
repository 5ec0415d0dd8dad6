#include "cli/sweep.h"

#include <fmt/format.h>

#include <algorithm>

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

Table sweep_table(const KernelFamily& family, const SweptValues& swept, const std::vector<SweepRow>& rows,
                  const std::vector<SweepColumn>& columns) {
  const std::vector<std::string> names = swept_names(family, swept);
  std::vector<std::string> header = names;
  for (const SweepColumn& column : columns) header.push_back(column.header);
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
      for (const SweepColumn& column : columns) cells.push_back(column.cell(one));
      table.add(std::move(cells));
    }
  }
  return table;
}

}  // namespace gpuprobe::cli
