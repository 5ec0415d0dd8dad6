#include "model/prediction/site_table.h"

#include <fmt/core.h>

namespace gpuprobe::prediction {

std::string shown_file(const std::string& path, const std::string& source_file) {
  const bool is_own =
      path == source_file || (path.size() > source_file.size() && path.ends_with(source_file) &&
                              path[path.size() - source_file.size() - 1] == '/');
  return is_own ? source_file : path;
}

Location own_place(const simt::InstructionInfo& info, const std::string& source_file) {
  Location place{shown_file(info.location.file, source_file), info.location.line};
  if (place.line > 0 && place.file == source_file) return place;
  for (const Location& caller : info.inlined_at) {
    Location outer{shown_file(caller.file, source_file), caller.line};
    if (outer.line > 0 && outer.file == source_file) return outer;
  }
  return place;
}

void SiteTable::add(const simt::InstructionInfo& info, const std::string& function,
                    const ScaledRecord& record, bool is_merged) {
  const Location place = own_place(info, source_file_);
  std::string instruction = info.text;
  // The helper in a header that really makes the access.
  if (info.location.line > 0 &&
      (info.location.line != place.line || shown_file(info.location.file, source_file_) != place.file))
    instruction += fmt::format(" ({}:{})", info.location.file, info.location.line);
  const std::string unplaced = place.line > 0 ? "" : fmt::format("{} {}", function, info.ptx_line);

  Entry& entry = entries_[{place.file, place.line, unplaced, record.kind, record.width}];
  Site& site = entry.site;
  if (site.requests == 0) {
    site.file = place.file;
    site.line = place.line;
    site.function = function;
    site.instruction = instruction;
    site.access = record.kind;
    site.width = record.width;
  }
  site.requests += record.requests;
  site.actual += record.actual;
  site.ideal += record.ideal;
  site.lines += record.lines;
  site.misaligned_excess += record.misaligned;
  site.depends_on_merging = site.depends_on_merging || is_merged;
  entry.lanes += record.lanes;
  entry.same_word += record.same_word;
  if (entry.worst.loses_to(record.worst)) entry.worst = record.worst;
}

std::vector<Site> SiteTable::take() {
  std::vector<Site> sites;
  for (auto& [key, entry] : entries_) {
    Site& site = sites.emplace_back(std::move(entry.site));
    if (site.requests > 0) {
      site.active_lanes = entry.lanes / site.requests;
      site.same_address_lanes = entry.same_word / site.requests;
    }
    if (entry.worst.excess >= 0) site.worst = entry.worst.pattern;
  }
  entries_.clear();
  return sites;
}

}  // namespace gpuprobe::prediction
