#include "cli/bank_lab.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <vector>

#include "cli/table.h"

namespace gpuprobe::cli {
namespace {

constexpr std::size_t kWidth = 80;

constexpr std::array<std::pair<std::string_view, BankPattern>, 5> kPatterns{{
    {"row", BankPattern::kRow},
    {"column", BankPattern::kColumn},
    {"padded-column", BankPattern::kPaddedColumn},
    {"broadcast", BankPattern::kBroadcast},
    {"stride", BankPattern::kStride},
}};

std::string_view name_of(BankPattern pattern) {
  for (const auto& [name, value] : kPatterns)
    if (value == pattern) return name;
  return "";
}

int pitch_of(const BankAccess& access) {
  return access.pattern == BankPattern::kPaddedColumn ? access.pitch + 1 : access.pitch;
}

/// Index of the lane's element, counted through the rows.
std::uint64_t element_of(const BankAccess& access, int lane) {
  const auto i = static_cast<std::uint64_t>(lane);
  const auto pitch = static_cast<std::uint64_t>(pitch_of(access));
  switch (access.pattern) {
    case BankPattern::kRow:
      return i;
    case BankPattern::kColumn:
    case BankPattern::kPaddedColumn:
      return i * pitch;
    case BankPattern::kBroadcast:
      return 0;
    case BankPattern::kStride:
      return i * static_cast<std::uint64_t>(access.stride);
  }
  return 0;
}

std::uint64_t swizzled(std::uint64_t element, std::uint64_t pitch) {
  const std::uint64_t row = element / pitch;
  const std::uint64_t column = element % pitch;
  return row * pitch + (column ^ (row & (pitch - 1)));
}

/// The 4-byte words that lane `lane` touches: first and last.
std::pair<std::uint64_t, std::uint64_t> words_of(const LanePattern& lanes, int lane) {
  const std::uint64_t first = lanes.address[static_cast<std::size_t>(lane)];
  return {first / memory::kBankBytes, (first + lanes.width - 1) / memory::kBankBytes};
}

std::string span_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

/// "0-3,8": ascending numbers, runs joined.
std::string compact(const std::vector<int>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    const auto first = static_cast<std::uint64_t>(numbers[i]);
    out += (out.empty() ? "" : ",") + span_text(first, static_cast<std::uint64_t>(numbers[end - 1]));
    i = end;
  }
  return out;
}

/// "column ^ (row & 31)".
std::string swizzle_text(const memory::XorSwizzle& swizzle) {
  const std::string row = swizzle.shift ? fmt::format("(row >> {})", swizzle.shift) : "row";
  const std::string bits = fmt::format("({} & {})", row, swizzle.mask);
  return "column ^ " + (swizzle.granule > 1 ? fmt::format("({} * {})", bits, swizzle.granule) : bits);
}

bool is_active(const LanePattern& lanes, int lane) {
  return (lanes.active >> lane & 1U) != 0;
}

/// Round (from 1) of each lane; 0 = inactive.
std::array<int, memory::kWarpLanes> rounds_of_lanes(const std::vector<memory::ServiceRound>& rounds) {
  std::array<int, memory::kWarpLanes> of_lane{};
  for (std::size_t round = 0; round < rounds.size(); ++round)
    for (int lane : rounds[round].lanes)
      of_lane[static_cast<std::size_t>(lane)] = static_cast<int>(round) + 1;
  return of_lane;
}

std::string lane_table(const LanePattern& lanes, const std::vector<memory::ServiceRound>& rounds) {
  const auto of_lane = rounds_of_lanes(rounds);
  Table table({"lane", "byte", "word", "bank", "round"});
  for (int lane = 0; lane < memory::kWarpLanes; ++lane) {
    if (!is_active(lanes, lane)) continue;
    const auto [first, last] = words_of(lanes, lane);
    table.add({std::to_string(lane), std::to_string(lanes.address[static_cast<std::size_t>(lane)]),
               span_text(first, last), span_text(first % memory::kBanks, last % memory::kBanks),
               std::to_string(of_lane[static_cast<std::size_t>(lane)])});
  }
  return render(table, TableFormat::kText);
}

/// Which lanes ask each bank for what: the busiest bank of a phase sets the number of rounds.
std::string bank_table(const LanePattern& lanes) {
  std::map<int, std::map<std::uint64_t, std::vector<int>>> banks;
  for (int lane = 0; lane < memory::kWarpLanes; ++lane) {
    if (!is_active(lanes, lane)) continue;
    const auto [first, last] = words_of(lanes, lane);
    for (std::uint64_t word = first; word <= last; ++word)
      banks[static_cast<int>(word % memory::kBanks)][word].push_back(lane);
  }
  std::string out;
  for (const auto& [bank, words] : banks) {
    std::vector<std::string> parts;
    for (const auto& [word, who] : words)
      parts.push_back(fmt::format("word {} (lane {})", word, compact(who)));
    out += wrap(fmt::format("bank {}: {} {}: {}", bank, words.size(), words.size() == 1 ? "word" : "words",
                            fmt::join(parts, ", ")),
                kWidth, 2);
  }
  return out;
}

std::string round_line(const LanePattern& lanes, const memory::ServiceRound& round, int number) {
  std::set<int> banks;
  for (int lane : round.lanes) {
    const auto [first, last] = words_of(lanes, lane);
    for (std::uint64_t word = first; word <= last; ++word)
      banks.insert(static_cast<int>(word % memory::kBanks));
  }
  return wrap(fmt::format("round {} (phase {}): lanes {}; banks {}", number, round.phase + 1,
                          compact(round.lanes), compact({banks.begin(), banks.end()})),
              kWidth, 2);
}

std::string cure_lines(const BankAccess& access, const memory::SharedCost& cost) {
  if (cost.wavefronts == cost.ideal) return "No bank conflict: nothing to cure.\n";
  const memory::LayoutCure cure = bank_cure(access);
  std::string out;
  if (cure.pad_elements && *cure.pad_elements > 0)
    out += fmt::format("Smallest padding: {} of {} bytes in each row, pitch {}.\n",
                       *cure.pad_elements == 1 ? "1 element" : fmt::format("{} elements", *cure.pad_elements),
                       access.width, pitch_of(access) + *cure.pad_elements);
  if (cure.swizzle) out += "Smallest swizzle, without more memory: " + swizzle_text(*cure.swizzle) + ".\n";
  return out.empty() ? "No padding of up to 128 bytes and no swizzle of the rows cures this access.\n" : out;
}

}  // namespace

std::optional<BankPattern> bank_pattern_from_string(std::string_view name) {
  for (const auto& [text, pattern] : kPatterns)
    if (text == name) return pattern;
  return std::nullopt;
}

Status check(const BankAccess& access) {
  if (access.swizzle && !std::has_single_bit(static_cast<unsigned>(pitch_of(access))))
    return fail(ErrorCode::kUsage,
                fmt::format("--swizzle needs a pitch that is a power of two, not {}", pitch_of(access)),
                "XOR with the row number would leave the row; use --pitch 32, or leave --swizzle out");
  return {};
}

LanePattern lane_pattern(const BankAccess& access) {
  LanePattern lanes;
  lanes.width = static_cast<std::uint32_t>(access.width);
  for (int lane = 0; lane < access.active; ++lane) {
    std::uint64_t element = element_of(access, lane);
    if (access.swizzle) element = swizzled(element, static_cast<std::uint64_t>(pitch_of(access)));
    lanes.address[static_cast<std::size_t>(lane)] = element * static_cast<std::uint64_t>(access.width);
    lanes.active |= 1U << lane;
  }
  return lanes;
}

memory::SharedCost bank_cost(const BankAccess& access) {
  const LanePattern lanes = lane_pattern(access);
  return access.is_load ? memory::shared_load_cost(lanes) : memory::shared_store_cost(lanes);
}

memory::LayoutCure bank_cure(const BankAccess& access) {
  const memory::SharedUsePattern use{lane_pattern(access), access.is_load};
  const auto width = static_cast<std::uint32_t>(access.width);
  return memory::search_cure({&use, 1}, {0, static_cast<std::uint32_t>(pitch_of(access)) * width, width});
}

Result<std::string> bank_report(const BankAccess& access, int round) {
  if (Status possible = check(access); !possible) return tl::unexpected(possible.error());
  const LanePattern lanes = lane_pattern(access);
  const auto rounds = memory::service_rounds(lanes, access.is_load);
  if (round > static_cast<int>(rounds.size()))
    return fail(ErrorCode::kUsage,
                fmt::format("there is no round {}: this access takes {}", round, rounds.size()),
                fmt::format("choose --round 1 to {}", rounds.size()));
  const memory::SharedCost cost = bank_cost(access);
  std::string out =
      fmt::format("shared {}, {}{}: {} lanes of {} bytes, pitch {} elements\n",
                  access.is_load ? "load" : "store", name_of(access.pattern),
                  access.swizzle ? " swizzled" : "", access.active, access.width, pitch_of(access));
  out += fmt::format("bank = word % {}; {} service {} (wavefronts), {} without conflicts: degree {:.4g}\n\n",
                     memory::kBanks, cost.wavefronts, cost.wavefronts == 1 ? "round" : "rounds", cost.ideal,
                     static_cast<double>(cost.wavefronts) / std::max(cost.ideal, 1));
  out += lane_table(lanes, rounds) + "\nRequests by bank:\n" + bank_table(lanes) + "\nService rounds:\n";
  for (std::size_t i = 0; i < rounds.size(); ++i)
    if (round == 0 || round == static_cast<int>(i) + 1)
      out += round_line(lanes, rounds[i], static_cast<int>(i) + 1);
  return out + "\n" + cure_lines(access, cost);
}

}  // namespace gpuprobe::cli
