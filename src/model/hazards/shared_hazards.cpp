#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "model/hazards/race_detector.h"

namespace gpuprobe::hazards {
namespace {

/// Where an instruction is, for people: "kernel.cu:30", or the PTX line of code without line information.
std::string place(const simt::InstructionInfo& info) {
  if (info.location.line > 0) return fmt::format("{}:{}", info.location.file, info.location.line);
  return fmt::format("{} (PTX line {})", info.text, info.ptx_line);
}

using Line = std::tuple<std::string, int, int>;  // file, line, PTX line if there is no line

Line line_of(const simt::InstructionInfo& info) {
  return {info.location.file, info.location.line, info.location.line > 0 ? 0 : info.ptx_line};
}

/// All conflicts between two lines.
struct Pair {
  ConflictRecord first;  ///< the one that the hazard describes
  std::uint64_t count = 0;
};

bool is_write_after_read(const ConflictRecord& record) {
  return record.conflict == Conflict::kWriteAfterRead;
}

std::string race_text(const Pair& pair, const simt::InstructionInfo& earlier,
                      const simt::InstructionInfo& later) {
  const ConflictRecord& r = pair.first;
  const char* does = r.conflict == Conflict::kReadAfterWrite ? "reads" : "overwrites";
  const char* did = r.conflict == Conflict::kWriteAfterRead ? "reads" : "writes";
  return fmt::format(
      "{} {} what {} {}, and no barrier lies between them (first seen in block {}: warp {} after warp {}, "
      "shared byte {})",
      place(later), does, place(earlier), did, r.block, r.later_warp, r.earlier_warp, r.byte);
}

}  // namespace

std::vector<Hazard> shared_hazards(std::span<const ConflictRecord> records,
                                   const std::function<const simt::InstructionInfo&(int)>& instruction) {
  std::map<std::pair<Line, Line>, Pair> races;
  std::map<Line, Pair> unwritten;
  for (const ConflictRecord& record : records) {
    const Line later = line_of(instruction(record.later_instruction));
    Pair* pair = nullptr;
    if (record.conflict == Conflict::kReadOfNothing) {
      pair = &unwritten[later];
    } else {
      const Line earlier = line_of(instruction(record.earlier_instruction));
      pair = &races[std::minmax(earlier, later)];
    }
    const bool better =
        pair->count == 0 || (is_write_after_read(record) && !is_write_after_read(pair->first));
    if (better) pair->first = record;
    pair->count += record.count;
  }

  std::vector<Hazard> hazards;
  for (const auto& [lines, pair] : races) {
    const simt::InstructionInfo& earlier = instruction(pair.first.earlier_instruction);
    const simt::InstructionInfo& later = instruction(pair.first.later_instruction);
    hazards.push_back({HazardKind::kSharedRace,
                       race_text(pair, earlier, later),
                       {earlier.location, later.location},
                       pair.count});
  }
  for (const auto& [line, pair] : unwritten) {
    const simt::InstructionInfo& info = instruction(pair.first.later_instruction);
    hazards.push_back(
        {HazardKind::kUninitialisedShared,
         fmt::format("{} reads shared memory that no thread of the block has written (first seen in "
                     "block {}: warp {}, shared byte {})",
                     place(info), pair.first.block, pair.first.later_warp, pair.first.byte),
         {info.location},
         pair.count});
  }
  std::stable_sort(hazards.begin(), hazards.end(),
                   [](const Hazard& a, const Hazard& b) { return a.count > b.count; });
  return hazards;
}

}  // namespace gpuprobe::hazards
