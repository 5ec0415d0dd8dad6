#include <array>

#include "model/memory/cost.h"
#include "model/memory/phases.h"

namespace gpuprobe::memory {
namespace {

constexpr std::uint64_t kFree = ~std::uint64_t{0};

/// The word that each bank delivers in one round.
struct Round {
  std::array<std::uint64_t, kBanks> word;
  std::vector<int> lanes;

  Round() { word.fill(kFree); }

  bool fits(std::uint64_t first_word, std::uint64_t last_word) const {
    for (std::uint64_t w = first_word; w <= last_word; ++w)
      if (word[w % kBanks] != kFree && word[w % kBanks] != w) return false;
    return true;
  }
  void serve(int lane, std::uint64_t first_word, std::uint64_t last_word) {
    for (std::uint64_t w = first_word; w <= last_word; ++w) word[w % kBanks] = w;
    lanes.push_back(lane);
  }
};

}  // namespace

std::vector<ServiceRound> service_rounds(const LanePattern& pattern, bool is_load) {
  std::vector<ServiceRound> served;
  const std::uint32_t width = shared_width(pattern);
  const int phase_lanes = lanes_per_phase(width);
  const int lanes = is_load ? lanes_per_load_group(pattern, width) : phase_lanes;
  for (int group = 0; group < kWarpLanes / lanes; ++group) {
    std::vector<Round> rounds;
    const std::uint32_t mask = group_mask(pattern.active, lanes, group);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t first = pattern.address[lane] / kBankBytes;
      const std::uint64_t last = (pattern.address[lane] + width - 1) / kBankBytes;
      std::size_t i = 0;
      while (i < rounds.size() && !rounds[i].fits(first, last)) ++i;
      if (i == rounds.size()) rounds.emplace_back();
      rounds[i].serve(lane, first, last);
    }
    for (Round& round : rounds) served.push_back({group * lanes / phase_lanes, std::move(round.lanes)});
  }
  return served;
}

}  // namespace gpuprobe::memory
