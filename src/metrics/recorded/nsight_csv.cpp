#include "metrics/recorded/nsight_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "metrics/recorded/csv.h"
#include "metrics/recorded/nsight_run.h"

namespace gpuprobe::recorded {
namespace {

constexpr const char* kHint = "Export again with: ncu --import REPORT.ncu-rep --csv --page raw > report.csv";

bool is_header(const CsvRecord& record) {
  return record.fields.size() >= 4 && record.fields[0] == "ID" &&
         std::find(record.fields.begin(), record.fields.end(), "Kernel Name") != record.fields.end();
}

bool is_launch_id(const std::string& field) {
  return !field.empty() &&
         std::all_of(field.begin(), field.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The columns that describe the launch; every other one is a metric.
bool describes_launch(const std::string& column) {
  for (const char* name : {"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                           "Stream", "Block Size", "Grid Size", "Device", "CC", "Section Name"})
    if (column == name) return true;
  return false;
}

class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {
    for (std::size_t i = 0; i < header_.size(); ++i) index_.emplace(header_[i], i);
  }
  bool is_long() const { return index_.contains("Metric Name") && index_.contains("Metric Value"); }
  const std::vector<std::string>& header() const { return header_; }
  std::string cell(const CsvRecord& record, const char* column) const {
    const auto it = index_.find(column);
    return it == index_.end() || it->second >= record.fields.size() ? std::string()
                                                                    : record.fields[it->second];
  }

 private:
  std::vector<std::string> header_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

NsightLaunch describe(const Table& table, const CsvRecord& record) {
  NsightLaunch launch;
  launch.id = table.cell(record, "ID");
  launch.process = table.cell(record, "Process ID") + " " + table.cell(record, "Process Name");
  launch.kernel = table.cell(record, "Kernel Name");
  launch.block = table.cell(record, "Block Size");
  launch.grid = table.cell(record, "Grid Size");
  launch.compute_capability = table.cell(record, "CC");
  return launch;
}

}  // namespace

NsightLayout nsight_layout(std::string_view text) {
  CsvReader reader(text);
  while (const auto record = reader.next())
    if (is_header(*record)) return Table(record->fields).is_long() ? NsightLayout::kLong : NsightLayout::kRaw;
  return NsightLayout::kNone;
}

Result<std::vector<NsightLaunch>> read_nsight_launches(std::string_view text, std::string_view name) {
  std::vector<NsightLaunch> launches;
  std::map<std::string, std::size_t> open;  // long layout: process and ID -> index, within one export
  Table table({});
  std::vector<std::string> units;
  bool headed = false;
  CsvReader reader(text);
  while (const auto record = reader.next()) {
    if (is_header(*record)) {
      table = Table(record->fields);
      units.clear();
      open.clear();
      headed = true;
      continue;
    }
    if (!headed) continue;
    const std::string id = table.cell(*record, "ID");
    if (!table.is_long() && id.empty() && record->fields.size() == table.header().size() && units.empty()) {
      units = record->fields;
      continue;
    }
    if (!is_launch_id(id) || record->fields.size() < 4) continue;  // a line of the program or of ncu
    if (table.is_long()) {
      const std::string metric = table.cell(*record, "Metric Name");
      const std::string key = table.cell(*record, "Process ID") + "/" + id;
      const auto [slot, fresh] = open.emplace(key, launches.size());
      if (fresh) launches.push_back(describe(table, *record));
      if (!metric.empty())  // a row of a rule has none
        launches[slot->second].cells.push_back(
            {metric, table.cell(*record, "Metric Unit"), table.cell(*record, "Metric Value")});
      continue;
    }
    if (record->fields.size() != table.header().size())
      return fail(ErrorCode::kUsage,
                  fmt::format("{}, line {}: the row of launch {} has {} fields, its header has {}.", name,
                              record->line, id, record->fields.size(), table.header().size()),
                  kHint);
    NsightLaunch launch = describe(table, *record);
    for (std::size_t i = 0; i < table.header().size(); ++i)
      if (!describes_launch(table.header()[i]))
        launch.cells.push_back({table.header()[i], i < units.size() ? units[i] : "", record->fields[i]});
    launches.push_back(std::move(launch));
  }
  if (!headed)
    return fail(
        ErrorCode::kUsage,
        fmt::format("{} has no header row with \"ID\" and \"Kernel Name\", as ncu --csv writes it.", name),
        kHint);
  if (launches.empty())
    return fail(ErrorCode::kUsage,
                fmt::format("{} has a header row of ncu --csv but no launch below it.", name),
                "Profile a program that launches a kernel, and look at what ncu says on its error output.");
  return launches;
}

Result<std::vector<Run>> read_nsight_csv(std::string_view text, std::string_view name) {
  const auto launches = read_nsight_launches(text, name);
  if (!launches) return tl::unexpected(launches.error());
  const NumberStyle style = number_style_of(*launches);
  std::vector<Run> runs;
  for (const NsightLaunch& launch : *launches) {
    auto run = run_of(launch, style);
    if (!run)
      return fail(ErrorCode::kUsage, fmt::format("{}, launch {}: {}.", name, launch.id, run.error()), kHint);
    runs.push_back(std::move(*run));
  }
  return runs;
}

}  // namespace gpuprobe::recorded
