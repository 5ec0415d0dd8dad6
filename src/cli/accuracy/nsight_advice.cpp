#include "cli/accuracy/nsight_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "metrics/recorded/csv.h"

namespace gpuprobe::cli {
namespace {

/// An estimate of 100 % would be an infinite speed-up.
constexpr double kMostPercent = 99.9;

/// "47.49" percent less time is a speed-up of 1.9; nothing that can be read is no estimate.
double speedup_of(const std::string& text) {
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc{} || !std::isfinite(percent)) return 0;
  return 1.0 / (1.0 - std::clamp(percent, 0.0, kMostPercent) / 100.0);
}

}  // namespace

std::string bare_kernel_name(std::string name) {
  for (const std::string_view unnamed : {"(anonymous namespace)::", "<unnamed>::"})
    for (std::size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed))
      name.erase(at, unnamed.size());
  name.erase(std::min(name.find_first_of("(<"), name.size()));
  while (!name.empty() && name.back() == ' ') name.pop_back();
  const std::size_t scope = name.find_last_of(": ");
  return scope == std::string::npos ? name : name.substr(scope + 1);
}

Result<std::vector<NsightLaunch>> read_nsight_advice(std::string_view text, std::string_view name) {
  // What the profiled program and the profiler print stands before the table.
  const std::size_t start = text.find("\"ID\"");
  if (start == std::string_view::npos)
    return fail(ErrorCode::kUsage, fmt::format("{} has no table of Nsight Compute", name),
                "Write it with `ncu --csv --page details --log-file FILE`.");
  recorded::CsvReader reader(text.substr(start));
  const auto header = reader.next();
  std::map<std::string, std::size_t> column;
  for (std::size_t i = 0; i < header->fields.size(); ++i) column[header->fields[i]] = i;
  for (const char* needed : {"ID", "Kernel Name", "Block Size", "Grid Size", "Rule Name", "Rule Type",
                             "Rule Description", "Estimated Speedup Type", "Estimated Speedup"})
    if (!column.contains(needed))
      return fail(ErrorCode::kUsage, fmt::format("{} has no column \"{}\"", name, needed),
                  "Write it with `ncu --csv --page details --log-file FILE`.");
  std::vector<NsightLaunch> launches;
  std::string last_id;
  while (const auto record = reader.next()) {
    const auto field = [&](const char* wanted) {
      const std::size_t index = column.at(wanted);
      return index < record->fields.size() ? record->fields[index] : std::string();
    };
    const std::string id = field("ID");
    if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos) continue;
    if (launches.empty() || id != last_id) {
      launches.push_back(
          {bare_kernel_name(field("Kernel Name")), field("Grid Size"), field("Block Size"), {}});
      last_id = id;
    }
    if (field("Rule Type") != "OPT") continue;
    NsightAdvice advice = classify_nsight_advice(field("Rule Name"), field("Rule Description"));
    advice.speedup = speedup_of(field("Estimated Speedup"));
    advice.of_kernel = field("Estimated Speedup Type") == "global";
    launches.back().advice.push_back(std::move(advice));
  }
  return launches;
}

}  // namespace gpuprobe::cli
