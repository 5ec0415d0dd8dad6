#include "report/draw.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "report/format.h"
#include "report/text/page.h"

namespace gpuprobe::report {
namespace {

constexpr int kLanes = 32;
constexpr std::uint64_t kBanks = 32;
constexpr std::uint64_t kWordBytes = 4;     ///< a bank serves one 4-byte word a wavefront
constexpr std::uint64_t kSectorBytes = 32;  ///< the unit of global traffic
constexpr std::uint64_t kLineBytes = 128;

constexpr char kEmpty = '.';

char lane_sign(int lane) {
  return lane < 10 ? static_cast<char>('0' + lane) : static_cast<char>('a' + lane - 10);
}

bool is_active(const LanePattern& pattern, int lane) {
  return (pattern.active >> lane) & 1u;
}

/// First and last 4-byte word that a lane touches.
std::pair<std::uint64_t, std::uint64_t> words_of(const LanePattern& pattern, int lane) {
  const std::uint64_t first = pattern.address[static_cast<std::size_t>(lane)];
  const std::uint64_t width = std::max<std::uint32_t>(pattern.width, 1);
  return {first / kWordBytes, (first + (width - 1)) / kWordBytes};
}

/// One cell a word; `shared` marks a word that several lanes use.
struct Cells {
  std::array<char, kBanks> sign;
  std::array<bool, kBanks> several{};
  Cells() { sign.fill(kEmpty); }
  void put(std::size_t cell, int lane) {
    if (sign[cell] == kEmpty)
      sign[cell] = lane_sign(lane);
    else
      several[cell] = true;
  }
  /// Equal up to the lane names: drawn once, then counted.
  bool alike(const Cells& other) const {
    for (std::size_t i = 0; i < sign.size(); ++i)
      if ((sign[i] == kEmpty) != (other.sign[i] == kEmpty) || several[i] != other.several[i]) return false;
    return true;
  }
};

std::string paint_cell(const Style& style, char sign, bool several) {
  const std::string text{sign};
  return sign == kEmpty ? style.paint(text, Tone::kFaint)
                        : style.paint(text, several ? Tone::kGood : Tone::kStrong);
}

std::string bank_row(const std::string& label, const Cells& cells, const Style& style) {
  std::string row = fmt::format("{:<12}", label);
  for (std::size_t bank = 0; bank < kBanks; ++bank) {
    row += paint_cell(style, cells.sign[bank], cells.several[bank]);
    row += cells.several[bank] ? '+' : ' ';
  }
  row.erase(row.find_last_not_of(' ') + 1);
  return row;
}

std::string subject(const AccessDrawing& drawing) {
  std::string text = place(printable(drawing.file), drawing.line, printable(drawing.instruction));
  return fmt::format("{}  {}, {} a lane", text, to_string(drawing.access),
                     quantity(drawing.pattern.width, Unit::kByte));
}

struct LabelledCells {
  std::string label;
  Cells cells;
  int phase = 0;
};

std::vector<std::string> draw_banks(const AccessDrawing& drawing, const DrawOptions& options) {
  const Style style(options.color);
  std::set<int> phases;
  for (const auto& round : drawing.rounds) phases.insert(round.phase);

  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {}{}", subject(drawing),
                              counted(static_cast<double>(drawing.rounds.size()), "round"),
                              phases.size() > 1 ? fmt::format(" in {} phases", phases.size()) : ""));
  std::string header = fmt::format("{:<12}", "bank");
  for (std::size_t bank = 0; bank < kBanks; bank += 4) header += fmt::format("{:<8}", bank);
  header.erase(header.find_last_not_of(' ') + 1);
  lines.push_back(style.paint(header, Tone::kFaint));

  std::vector<LabelledCells> rows;
  std::map<int, int> rounds_of_phase;
  for (const auto& round : drawing.rounds) {
    LabelledCells row;
    row.phase = round.phase;
    const int number = ++rounds_of_phase[round.phase];
    row.label = phases.size() > 1 ? fmt::format("{:>2}.{:<2} round", round.phase + 1, number)
                                  : fmt::format("round {:>2}", number);
    std::map<std::size_t, std::uint64_t> word_in_bank;
    for (int lane : round.lanes) {
      if (lane < 0 || lane >= kLanes || !is_active(drawing.pattern, lane)) continue;
      const auto [first, last] = words_of(drawing.pattern, lane);
      for (std::uint64_t word = first; word <= last && word - first < kBanks; ++word)
        row.cells.put(static_cast<std::size_t>(word % kBanks), lane);
    }
    rows.push_back(std::move(row));
  }

  const auto limit = static_cast<std::size_t>(std::max(options.rows, 2));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t alike = i;
    while (alike + 1 < rows.size() && rows[alike + 1].cells.alike(rows[i].cells)) ++alike;
    const bool long_run = alike - i >= 3;
    if (lines.size() >= limit + 2 && rows.size() - i > 1) {
      lines.push_back(
          fmt::format("{:12}{} more", "", counted(static_cast<double>(rows.size() - i), "round")));
      break;
    }
    lines.push_back(bank_row(rows[i].label, rows[i].cells, style));
    if (long_run) {
      lines.push_back(bank_row(rows[i + 1].label, rows[i + 1].cells, style));
      lines.push_back(fmt::format("{:12}... {} alike, one after the other", "",
                                  counted(static_cast<double>(alike - i - 1), "more round")));
      i = alike;
    }
  }
  return lines;
}

std::string sector_row(const std::string& label, const Cells& cells, const Style& style) {
  std::string row = fmt::format("{:>14}  ", label);
  int touched = 0;
  for (std::size_t word = 0; word < kBanks; ++word) {
    if (word % 8 == 0) row += '|';
    row += paint_cell(style, cells.several[word] && cells.sign[word] != kEmpty ? '*' : cells.sign[word],
                      cells.several[word]);
  }
  row += '|';
  for (std::size_t sector = 0; sector < 4; ++sector)
    for (std::size_t word = sector * 8; word < sector * 8 + 8; ++word)
      if (cells.sign[word] != kEmpty) {
        ++touched;
        break;
      }
  return row + fmt::format("  {} of 4 sectors", touched);
}

std::vector<std::string> draw_sectors(const AccessDrawing& drawing, const DrawOptions& options) {
  const Style style(options.color);
  std::map<std::uint64_t, Cells> by_line;
  std::set<std::uint64_t> sectors;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!is_active(drawing.pattern, lane)) continue;
    const auto [first, last] = words_of(drawing.pattern, lane);
    for (std::uint64_t word = first; word <= last && word - first < kBanks; ++word) {
      by_line[word * kWordBytes / kLineBytes].put(static_cast<std::size_t>(word % (kLineBytes / kWordBytes)),
                                                  lane);
      sectors.insert(word * kWordBytes / kSectorBytes);
    }
  }
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {} in {}", subject(drawing),
                              counted(static_cast<double>(sectors.size()), "sector"),
                              counted(static_cast<double>(by_line.size()), "line")));
  lines.push_back(style.paint(
      fmt::format("{:>14}  {:<9}{:<9}{:<9}{}", "line", "sector 0", "sector 1", "sector 2", "sector 3"),
      Tone::kFaint));

  const std::uint64_t base = by_line.begin()->first;
  std::vector<std::pair<std::string, Cells>> rows;
  for (const auto& [line, cells] : by_line)
    rows.emplace_back(fmt::format("+{} B", count(static_cast<double>((line - base) * kLineBytes))), cells);
  const auto limit = static_cast<std::size_t>(std::max(options.rows, 2));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 >= limit && rows.size() - i > 1) {
      lines.push_back(fmt::format("{:16}... {} up to {}", "",
                                  counted(static_cast<double>(rows.size() - i), "more line"),
                                  rows.back().first));
      break;
    }
    lines.push_back(sector_row(rows[i].first, rows[i].second, style));
  }
  return lines;
}

}  // namespace

std::vector<std::string> draw_access(const AccessDrawing& drawing, const DrawOptions& options) {
  if (drawing.pattern.active == 0) return {subject(drawing) + ": no active lane"};
  if (!is_shared(drawing.access)) return draw_sectors(drawing, options);
  if (drawing.rounds.empty()) return {subject(drawing) + ": rounds unknown"};
  return draw_banks(drawing, options);
}

std::vector<std::string> draw_occupancy(const OccupancyTable& table, const DrawOptions& options) {
  constexpr int kWidestBar = 32;  // the most blocks that any SM holds; a longer bar says nothing more
  const Style style(options.color);
  std::vector<std::string> lines;
  for (const ResourceLimit& limit : table.limits) {
    const bool limits =
        std::find(table.limiters.begin(), table.limiters.end(), limit.resource) != table.limiters.end();
    const bool unlimited = limit.blocks == kUnlimitedBlocks;
    const int bar = unlimited ? 0 : std::clamp(limit.blocks, 0, kWidestBar);
    std::string row =
        fmt::format("{:<10} {:>6}  {}", to_string(limit.resource), unlimited ? "unused" : count(limit.blocks),
                    std::string(static_cast<std::size_t>(bar), '#'));
    if (!unlimited && limit.blocks > kWidestBar) row += "+";
    if (limits) row = style.paint(row + " <- limit", Tone::kWarn);
    row.erase(row.find_last_not_of(' ') + 1);
    lines.push_back(std::move(row));
  }
  return lines;
}

}  // namespace gpuprobe::report
