// Every one-warp experiment measured on the H200 is reproduced exactly by the cost functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "model/memory/cost.h"
#include "unit/model/lane_expression.h"
#include "unit/model/tsv.h"

namespace gpuprobe::memory {
namespace {

using testing::pattern_from_formula;
using testing::read_tsv;
using testing::TsvRow;

/// Nsight's ideal for shared memory, which the table records: not the tool's own.
int nsight_ideal(const LanePattern& pattern, int wavefronts) {
  const int bytes = std::popcount(pattern.active) * static_cast<int>(pattern.width);
  return std::min(wavefronts, (bytes + 127) / 128);
}

std::string number(int value) {
  return std::to_string(value);
}

void expect_shared(const TsvRow& row, const SharedCost& cost, const LanePattern& pattern) {
  EXPECT_EQ(number(cost.wavefronts), row.at("shared_wavefronts"));
  EXPECT_EQ(number(cost.hardware_conflicts), row.at("hw_conflicts"));
  const bool is_matrix = row.at("op") == "ldmatrix_x4";
  EXPECT_EQ(number(is_matrix ? cost.ideal : nsight_ideal(pattern, cost.wavefronts)),
            row.at("shared_wavefronts_ideal"));
  EXPECT_LE(cost.ideal, cost.wavefronts);
}

void expect_global(const TsvRow& row, const GlobalCost& cost) {
  EXPECT_EQ(number(cost.sectors), row.at("global_sectors"));
  EXPECT_EQ(number(cost.ideal), row.at("global_sectors_ideal"));
}

TEST(MemoryTruth, EveryMeasuredAccessIsReproduced) {
  const auto rows = read_tsv(std::string(GPUPROBE_TESTS_DIR) + "/data/truth/access_h200.tsv");
  ASSERT_GE(rows.size(), 130u);
  std::map<std::string, int> seen;
  for (const TsvRow& row : rows) {
    const std::string op = row.at("op");
    const auto width = static_cast<std::uint32_t>(std::stoul(row.at("width")));
    const LanePattern pattern = pattern_from_formula(row.at("lane_byte_offset"), width);
    SCOPED_TRACE(op + " " + row.at("width") + " " + row.at("lane_byte_offset"));
    ++seen[op];
    if (op == "shared_load") {
      expect_shared(row, shared_load_cost(pattern), pattern);
    } else if (op == "shared_store") {
      expect_shared(row, shared_store_cost(pattern), pattern);
    } else if (op == "shared_red") {
      expect_shared(row, shared_atomic_cost(pattern), pattern);
    } else if (op == "ldmatrix_x4") {
      expect_shared(row, matrix_cost(pattern, 4), pattern);
    } else if (op == "global_load" || op == "global_store") {
      expect_global(row, global_cost(pattern));
    } else if (op == "global_red") {
      expect_global(row, global_atomic_cost(pattern));
    } else if (op == "cp_async_cg_16") {
      const LanePattern source = pattern_from_formula("16*i", 16);
      expect_shared(row, async_copy_shared_cost(pattern), pattern);
      expect_global(row, async_copy_global_cost(source, pattern));
    } else {
      ADD_FAILURE() << "no model for this row";
    }
  }
  EXPECT_EQ(seen.size(), 8u);
}

TEST(MemoryTruth, AConflictingAsyncCopyDestinationDoublesTheSectors) {
  const LanePattern source = pattern_from_formula("16*i", 16);
  const LanePattern column = pattern_from_formula("128*i", 16);
  EXPECT_EQ(async_copy_global_cost(source, column).sectors, 32);
  EXPECT_EQ(async_copy_global_cost(source, column).ideal, 16);
  EXPECT_EQ(async_copy_shared_cost(column).wavefronts, 32);
  EXPECT_EQ(async_copy_shared_cost(column).ideal, 4);
  EXPECT_EQ(async_copy_shared_cost(column).hardware_conflicts, 0);
}

}  // namespace
}  // namespace gpuprobe::memory
