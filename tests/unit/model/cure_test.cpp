// Layout cures with known answers: the transposed tile of every element type, and layouts that no padding
// cures.
#include "model/memory/cure.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/memory/cost.h"

namespace gpuprobe::memory {
namespace {

/// A warp of a block of `block_x` threads a row; lane -> (x, y) -> element (row, column) of a tile.
template <class RowColumn>
LanePattern warp(int block_x, int first_thread, std::uint32_t pitch_elements, std::uint32_t bytes,
                 RowColumn at) {
  LanePattern p;
  p.active = ~0u;
  p.width = bytes;
  for (int lane = 0; lane < 32; ++lane) {
    const int thread = first_thread + lane;
    const auto [row, column] = at(thread % block_x, thread / block_x);
    p.address[lane] = (static_cast<std::uint64_t>(row) * pitch_elements + column) * bytes;
  }
  return p;
}

std::vector<SharedUsePattern> transposed_tile(int tile, std::uint32_t pitch, std::uint32_t bytes,
                                              int warps = 1) {
  std::vector<SharedUsePattern> uses;
  for (int w = 0; w < warps; ++w) {
    const auto row = [](int x, int y) { return std::pair(y, x); };
    const auto column = [](int x, int y) { return std::pair(x, y); };
    uses.push_back({warp(tile, 32 * w, pitch, bytes, row), false});
    uses.push_back({warp(tile, 32 * w, pitch, bytes, column), true});
  }
  return uses;
}

/// Wavefronts above the ideal over the whole tile when it has this padding.
int excess_with_pad(int tile, int pad, std::uint32_t bytes) {
  int excess = 0;
  for (const SharedUsePattern& use : transposed_tile(tile, tile + pad, bytes, tile * tile / 32)) {
    const SharedCost cost = use.is_load ? shared_load_cost(use.lanes) : shared_store_cost(use.lanes);
    excess += cost.wavefronts - cost.ideal;
  }
  return excess;
}

TEST(Cure, TransposedTileOfFloats) {
  const auto uses = transposed_tile(32, 32, 4);
  const auto shape = guess_shape(uses);
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->pitch_bytes, 128u);
  EXPECT_EQ(shape->element_bytes, 4u);
  const LayoutCure cure = search_cure(uses, *shape);
  EXPECT_EQ(cure.wavefronts_before, 1 + 32);
  EXPECT_EQ(cure.ideal, 2);
  EXPECT_EQ(cure.pad_elements, 1);
  ASSERT_TRUE(cure.swizzle.has_value());
  EXPECT_EQ(cure.swizzle->mask, 31u);
  EXPECT_EQ(cure.swizzle->shift, 0u);
}

TEST(Cure, TransposedTileOfDoubles) {
  const auto uses = transposed_tile(32, 32, 8);
  const LayoutCure cure = search_cure(uses, *guess_shape(uses));
  EXPECT_EQ(cure.wavefronts_before, 2 + 32);
  EXPECT_EQ(cure.ideal, 4);
  EXPECT_EQ(cure.pad_elements, 1);
  ASSERT_TRUE(cure.swizzle.has_value());
  EXPECT_EQ(cure.swizzle->mask, 15u);
}

TEST(Cure, NarrowElementsNeedAPadThatWorksInEveryColumn) {
  // A pad of one byte looks right in column 0 and conflicts in columns 1 to 3.
  EXPECT_GT(excess_with_pad(32, 1, 1), 0);
  for (std::uint32_t bytes : {1u, 2u}) {
    const auto uses = transposed_tile(32, 32, bytes);
    const LayoutCure cure = search_cure(uses, *guess_shape(uses));
    ASSERT_TRUE(cure.pad_elements.has_value());
    EXPECT_EQ(excess_with_pad(32, *cure.pad_elements, bytes), 0);
    for (int smaller = 0; smaller < *cure.pad_elements; ++smaller)
      EXPECT_GT(excess_with_pad(32, smaller, bytes), 0) << smaller;
  }
}

TEST(Cure, NoPadCuresBothSidesOfATileOfSixteenButASwizzleDoes) {
  for (int pad = 0; pad <= 32; ++pad) EXPECT_GT(excess_with_pad(16, pad, 4), 0) << pad;
  for (std::uint32_t pitch : {16u, 17u, 18u}) {
    const auto uses = transposed_tile(16, pitch, 4);
    const auto shape = guess_shape(uses);
    ASSERT_TRUE(shape.has_value());
    EXPECT_EQ(shape->pitch_bytes, 4 * pitch);
    const LayoutCure cure = search_cure(uses, *shape);
    EXPECT_EQ(cure.pad_elements, std::nullopt) << pitch;
    EXPECT_EQ(cure.swizzle.has_value(), pitch == 16);
  }
  // The swizzle really is free of conflicts over the whole tile.
  const auto uses = transposed_tile(16, 16, 4, 8);
  const LayoutCure cure = search_cure(uses, *guess_shape(uses));
  ASSERT_TRUE(cure.swizzle.has_value());
  for (SharedUsePattern use : uses) {
    for (auto& address : use.lanes.address) {
      const std::uint64_t row = address / 64;
      address = row * 64 + ((address % 64) ^ ((row >> cure.swizzle->shift & cure.swizzle->mask) * 4));
    }
    const SharedCost cost = use.is_load ? shared_load_cost(use.lanes) : shared_store_cost(use.lanes);
    EXPECT_EQ(cost.wavefronts, cost.ideal);
  }
}

TEST(Cure, VectorAccessesStayAligned) {
  // float4 columns of a 32-element float row: a pad of one float would misalign them.
  LanePattern column;
  column.active = ~0u;
  column.width = 16;
  for (int lane = 0; lane < 32; ++lane) column.address[lane] = 128 * lane;
  LanePattern row;
  row.active = ~0u;
  for (int lane = 0; lane < 32; ++lane) row.address[lane] = 4 * lane;
  const std::vector<SharedUsePattern> uses = {{row, false}, {column, true}};
  const LayoutCure cure = search_cure(uses, *guess_shape(uses));
  EXPECT_EQ(cure.wavefronts_before, 33);
  EXPECT_EQ(cure.ideal, 5);
  EXPECT_EQ(cure.pad_elements, 4);
  ASSERT_TRUE(cure.swizzle.has_value());
  EXPECT_EQ(cure.swizzle->mask, 7u);
  EXPECT_EQ(cure.swizzle->granule, 4u);
}

TEST(Cure, NothingToCureAndNothingToGuess) {
  const auto uses = transposed_tile(32, 33, 4);
  EXPECT_EQ(search_cure(uses, {0, 132, 4}).pad_elements, 0);
  EXPECT_FALSE(search_cure(uses, {0, 132, 4}).swizzle.has_value());
  EXPECT_FALSE(guess_shape({}).has_value());
  const std::vector<SharedUsePattern> row = {{transposed_tile(32, 32, 4)[0]}};
  EXPECT_FALSE(guess_shape(row).has_value());
  EXPECT_EQ(search_cure({}, {0, 128, 4}).pad_elements, 0);
  const auto conflicting = transposed_tile(32, 32, 4);
  EXPECT_FALSE(search_cure(conflicting, {0, 0, 4}).pad_elements.has_value());
  EXPECT_FALSE(search_cure(conflicting, {0, 130, 4}).pad_elements.has_value());
}

TEST(Cure, ContentionOnOneBankThatNoLayoutOfRowsCures) {
  // Lanes i and i^2 read one double, which merges phases into a conflict that padding cannot remove.
  LanePattern p;
  p.active = ~0u;
  p.width = 8;
  for (int lane = 0; lane < 32; ++lane) p.address[lane] = 8 * (lane & ~2);
  const std::vector<SharedUsePattern> uses = {{p, true}};
  EXPECT_EQ(search_cure(uses, {0, 256, 8}).pad_elements, std::nullopt);
}

}  // namespace
}  // namespace gpuprobe::memory
