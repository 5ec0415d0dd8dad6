// The cost functions against brute-force definitions on random patterns, and service rounds against
// wavefronts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <map>
#include <set>

#include "model/memory/cost.h"

namespace gpuprobe::memory {
namespace {

using Lanes = std::vector<int>;

Lanes active_lanes(const LanePattern& p) {
  Lanes lanes;
  for (int i = 0; i < 32; ++i)
    if (p.active >> i & 1) lanes.push_back(i);
  return lanes;
}

/// Random widths, masks and address shapes: progressions, 2D tiles, broadcasts, pairs, scattered.
rc::Gen<LanePattern> patterns(bool aligned) {
  return rc::gen::exec([aligned] {
    LanePattern p;
    p.width = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
    p.active = *rc::gen::oneOf(rc::gen::just(~0u), rc::gen::arbitrary<std::uint32_t>(),
                               rc::gen::map(rc::gen::inRange(0, 32), [](int n) { return (1u << n) - 1; }));
    const auto base = static_cast<std::uint64_t>(*rc::gen::inRange(0, 64));
    const int stride = *rc::gen::inRange(-40, 41);
    const int row = *rc::gen::inRange(1, 33);
    const int pitch = *rc::gen::inRange(0, 70);
    const int shape = *rc::gen::inRange(0, 5);
    for (int i = 0; i < 32; ++i) {
      std::int64_t element = 4096;
      if (shape == 0) element += std::int64_t{stride} * i;
      if (shape == 1) element += std::int64_t{pitch} * (i / row) + i % row;
      if (shape == 2) element += std::int64_t{stride} * (i / 2) + (i & 1) * pitch;
      if (shape == 3) element += *rc::gen::inRange(0, 300);
      if (shape == 4) element += stride * (i & ~2);
      p.address[i] = static_cast<std::uint64_t>(element) * p.width + base * p.width;
      if (!aligned) p.address[i] += *rc::gen::inRange(0, 8);
    }
    return p;
  });
}

int brute_sectors(const LanePattern& p, std::uint64_t size, std::uint64_t shift) {
  std::set<std::uint64_t> seen;
  for (int i : active_lanes(p))
    for (std::uint64_t b = p.address[i]; b < p.address[i] + p.width; ++b) seen.insert((b - shift) / size);
  return static_cast<int>(seen.size());
}

/// Wavefronts of one group by definition: over the banks, the most distinct 4-byte words.
int brute_group(const LanePattern& p, const Lanes& lanes) {
  std::map<std::uint64_t, std::set<std::uint64_t>> words;
  for (int i : lanes)
    for (std::uint64_t b = p.address[i]; b < p.address[i] + p.width; ++b) words[b / 4 % 32].insert(b / 4);
  std::size_t most = 0;
  for (const auto& [bank, set] : words) most = std::max(most, set.size());
  return static_cast<int>(most);
}

struct BruteShared {
  int wavefronts = 0;
  int groups = 0;
};

BruteShared brute_shared(const LanePattern& p, bool is_load) {
  int size = p.width <= 4 ? 32 : p.width == 8 ? 16 : 8;
  if (is_load && size < 32) {
    for (int distance : {1, 2}) {
      bool agree = true;
      for (int i : active_lanes(p))
        agree = agree && (!(p.active >> (i ^ distance) & 1) || p.address[i] == p.address[i ^ distance]);
      if (agree) {
        size *= 2;
        break;
      }
    }
  }
  BruteShared out;
  for (int start = 0; start < 32; start += size) {
    Lanes lanes;
    for (int i : active_lanes(p))
      if (i >= start && i < start + size) lanes.push_back(i);
    if (lanes.empty()) continue;
    out.wavefronts += brute_group(p, lanes);
    out.groups += 1;
  }
  return out;
}

RC_GTEST_PROP(MemoryProperty, GlobalCostIsTheCountOfDistinctPieces, ()) {
  const LanePattern p = *patterns(*rc::gen::arbitrary<bool>());
  const GlobalCost cost = global_cost(p);
  RC_ASSERT(cost.sectors == brute_sectors(p, 32, 0));
  RC_ASSERT(cost.lines == brute_sectors(p, 128, 0));
  std::uint64_t lowest = ~std::uint64_t{0};
  for (int i : active_lanes(p)) lowest = std::min(lowest, p.address[i]);
  RC_ASSERT(cost.aligned_sectors == brute_sectors(p, 32, p.active ? lowest % 32 : 0));
  const int packed = (std::popcount(p.active) * static_cast<int>(p.width) + 31) / 32;
  RC_ASSERT(cost.ideal == std::min(cost.sectors, packed));
}

RC_GTEST_PROP(MemoryProperty, GlobalAtomicsCostOnePassForEachLaneOnTheMostWantedWord, ()) {
  LanePattern p = *patterns(true);
  p.width = std::clamp(p.width, 4u, 8u);
  for (auto& address : p.address) address -= address % p.width;
  std::map<std::uint64_t, std::map<std::uint64_t, int>> sectors;
  for (int i : active_lanes(p)) ++sectors[p.address[i] / 32][p.address[i]];
  int passes = 0;
  int most = 1;
  for (const auto& [sector, words] : sectors) {
    int wanted = 0;
    for (const auto& [word, lanes] : words) wanted = std::max(wanted, lanes);
    passes += wanted;
    most = std::max(most, wanted);
  }
  const GlobalCost cost = global_atomic_cost(p);
  RC_ASSERT(cost.sectors == passes);
  RC_ASSERT(cost.ideal == global_cost(p).ideal);
  RC_ASSERT(cost.same_word_lanes == most);
}

RC_GTEST_PROP(MemoryProperty, SharedCostFollowsThePhasesAndTheMerging, ()) {
  const LanePattern p = *patterns(*rc::gen::arbitrary<bool>());
  for (bool is_load : {true, false}) {
    const SharedCost cost = is_load ? shared_load_cost(p) : shared_store_cost(p);
    const BruteShared brute = brute_shared(p, is_load);
    RC_ASSERT(cost.wavefronts == brute.wavefronts);
    RC_ASSERT(cost.ideal == brute.groups);
    RC_ASSERT(cost.hardware_conflicts == brute.wavefronts - brute.groups);
  }
}

RC_GTEST_PROP(MemoryProperty, SharedAtomicsSerialiseLanesOfOneBank, ()) {
  LanePattern p = *patterns(true);
  p.width = 4;
  for (auto& address : p.address) address -= address % 4;
  std::map<std::uint64_t, int> banks;
  std::map<std::uint64_t, int> words;
  int wavefronts = 0;
  int same = 1;
  for (int i : active_lanes(p)) {
    wavefronts = std::max(wavefronts, ++banks[p.address[i] / 4 % 32]);
    same = std::max(same, ++words[p.address[i]]);
  }
  const SharedCost cost = shared_atomic_cost(p);
  RC_ASSERT(cost.wavefronts == wavefronts);
  RC_ASSERT(cost.same_word_lanes == same);
}

RC_GTEST_PROP(MemoryProperty, ServiceRoundsServeEachLaneOnceInAsManyRoundsAsWavefronts, ()) {
  const LanePattern p = *patterns(true);
  for (bool is_load : {true, false}) {
    const auto rounds = service_rounds(p, is_load);
    const SharedCost cost = is_load ? shared_load_cost(p) : shared_store_cost(p);
    RC_ASSERT(static_cast<int>(rounds.size()) == cost.wavefronts);
    std::uint32_t served = 0;
    for (const ServiceRound& round : rounds) {
      std::map<std::uint64_t, std::uint64_t> bank_word;
      for (int lane : round.lanes) {
        RC_ASSERT((served >> lane & 1) == 0u);
        served |= 1u << lane;
        for (std::uint64_t w = p.address[lane] / 4; w <= (p.address[lane] + p.width - 1) / 4; ++w)
          RC_ASSERT(bank_word.emplace(w % 32, w).first->second == w);
      }
    }
    RC_ASSERT(served == p.active);
  }
}

TEST(MemoryCost, NoActiveLaneCostsNothing) {
  const LanePattern p;
  EXPECT_EQ(global_cost(p).sectors, 0);
  EXPECT_EQ(global_atomic_cost(p).sectors, 0);
  EXPECT_EQ(shared_load_cost(p).wavefronts, 0);
  EXPECT_EQ(shared_store_cost(p).ideal, 0);
  EXPECT_EQ(shared_atomic_cost(p).wavefronts, 0);
  EXPECT_TRUE(service_rounds(p, true).empty());
}

TEST(MemoryCost, AddressesAtTheTopOfTheAddressSpace) {
  LanePattern p;
  p.active = ~0u;
  for (int i = 0; i < 32; ++i) p.address[i] = ~std::uint64_t{0} - 127 + 4 * i;
  EXPECT_EQ(global_cost(p).sectors, 4);
  EXPECT_EQ(shared_load_cost(p).wavefronts, 1);
}

TEST(MemoryCost, BankLabExamples) {
  const auto column = [](std::uint64_t pitch_words, std::uint32_t active) {
    LanePattern p;
    p.active = active;
    for (int i = 0; i < 32; ++i) p.address[i] = i * pitch_words * 4;
    return shared_load_cost(p).wavefronts;
  };
  EXPECT_EQ(column(32, ~0u), 32);
  EXPECT_EQ(column(33, ~0u), 1);
  EXPECT_EQ(column(0, ~0u), 1);
  EXPECT_EQ(column(2, ~0u), 2);
  EXPECT_EQ(column(2, 0xFFFF), 1);
}

}  // namespace
}  // namespace gpuprobe::memory
