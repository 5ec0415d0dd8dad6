#include "cli/accuracy/nsight_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "metrics/recorded/csv.h"

namespace gpuprobe::cli {
namespace {

/// An estimate of 100 % would be an infinite speed-up.
constexpr double kMostPercent = 99.9;

double percent_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::clamp(value, 0.0, kMostPercent) : 0.0;
}

/// Which kinds each rule's advice may be about, by what its text speaks of (Nsight Compute 2025.3).
const std::map<std::string, std::vector<FindingKind>>& causes() {
  using K = FindingKind;
  static const std::map<std::string, std::vector<K>> kCauses = {
      {"UncoalescedGlobalAccess",
       {K::kUncoalescedLoad, K::kUncoalescedStore, K::kMisaligned, K::kNarrowBlock, K::kAsyncCopyConflict}},
      {"MemoryCacheAccessPattern",
       {K::kUncoalescedLoad, K::kUncoalescedStore, K::kMisaligned, K::kNarrowBlock}},
      {"SharedMemoryConflicts", {K::kBankConflictLoad, K::kBankConflictStore, K::kAsyncCopyConflict}},
      {"UncoalescedSharedAccess", {K::kBankConflictLoad, K::kBankConflictStore, K::kAsyncCopyConflict}},
      {"TheoreticalOccupancy", {K::kOccupancyRegisters, K::kOccupancyShared, K::kOccupancyBlockSize}},
      {"AchievedOccupancy", {K::kTail, K::kImbalance, K::kGridTooSmall}},
      {"LaunchConfiguration", {K::kGridTooSmall, K::kTail, K::kOccupancyBlockSize}},
      {"WorkloadImbalance", {K::kImbalance, K::kTail, K::kGridTooSmall}},
      {"ThreadDivergence", {K::kPartialWarps}},
      {"LocalMemory", {K::kLocalMemory}},
  };
  return kCauses;
}

}  // namespace

bool names_cause(const std::string& rule, FindingKind kind) {
  const auto found = causes().find(rule);
  return found != causes().end() &&
         std::find(found->second.begin(), found->second.end(), kind) != found->second.end();
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
  for (const char* needed :
       {"ID", "Kernel Name", "Block Size", "Grid Size", "Rule Name", "Rule Type", "Estimated Speedup"})
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
      const std::string full = field("Kernel Name");
      launches.push_back(
          {full.substr(0, full.find_first_of("(<")), field("Grid Size"), field("Block Size"), {}});
      last_id = id;
    }
    if (field("Rule Type") != "OPT") continue;
    const double percent = percent_of(field("Estimated Speedup"));
    const bool global =
        column.contains("Estimated Speedup Type") && field("Estimated Speedup Type") == "global";
    launches.back().advice.push_back({field("Rule Name"), 1.0 / (1.0 - percent / 100.0), global});
  }
  return launches;
}

}  // namespace gpuprobe::cli
