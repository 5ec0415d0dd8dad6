// The static facts of the kernels against what was measured on an H200 (tests/data/truth/kernels_h200.tsv):
// grid, block, shared memory, and the occupancy that follows from the registers of the cubin.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "model/devices/devices.h"
#include "model/occupancy/calculator.h"
#include "unit/kernels/families.h"

namespace gpuprobe {
namespace {

struct TruthCase {
  const char* name;  ///< first column of the file
  const char* family;
  const char* options;
};

const TruthCase kCases[] = {
    {"mm_naive_16", "matmul", "--block 16,16"},
    {"mm_naive_32", "matmul", ""},
    {"mm_naive_swapped", "matmul", "--order swapped"},
    {"mm_tiled_16", "matmul", "--tile 16"},
    {"mm_tiled_32", "matmul", "--tile 32"},
    {"mm_tiledT_32", "matmul", "--tile 32 --stage-transposed"},
    {"mm_tiledT_32_pad", "matmul", "--tile 32 --stage-transposed --pad"},
    {"tr_naive_w", "transpose", "--variant naive-write"},
    {"tr_naive_r", "transpose", "--variant naive-read"},
    {"tr_tiled", "transpose", ""},
    {"tr_tiled_pad", "transpose", "--pad"},
    {"tr_swz", "transpose", "--swizzle"},
    {"saxpy", "saxpy", ""},
    {"strided_1", "stride", "--stride 1"},
    {"strided_2", "stride", "--stride 2"},
    {"strided_4", "stride", "--stride 4"},
    {"strided_8", "stride", "--stride 8"},
    {"strided_16", "stride", "--stride 16"},
    {"strided_32", "stride", "--stride 32"},
    {"strided_64", "stride", "--stride 64"},
    {"strided_128", "stride", "--stride 128"},
    {"rowsum_bad", "rowsum", ""},
    {"rowsum_good", "rowsum", "--variant block-per-row"},
    {"reduce_global", "reduce", "--variant block-global"},
    {"reduce_shared", "reduce", "--variant block-shared"},
    {"reduce_interleaved", "reduce", "--variant interleaved"},
    {"bank_pitch32", "banks", "--pitch 32"},
    {"bank_pitch33", "banks", "--pattern padded-column"},
    {"bank_pitch1", "banks", "--pattern row"},
    {"bank_pitch2", "banks", "--pitch 2"},
    {"bank_pitch4", "banks", "--pitch 4"},
    {"bank_pitch8", "banks", "--pitch 8"},
    {"bank_pitch16", "banks", "--pitch 16"},
    {"bank_pitch0", "banks", "--pattern broadcast"},
    {"bank_pitch2_half", "banks", "--pattern stride --active 16"},
    {"invert", "invert", ""},
    {"invert_32x8", "invert", "--block 32,8"},
};

/// The columns of one row, by name.
std::map<std::string, std::string> truth_row(const std::string& name) {
  std::ifstream file(GPUPROBE_TESTS_DIR "/data/truth/kernels_h200.tsv");
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    return fields;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = split(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    if (fields.empty() || fields[0] != name) continue;
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < fields.size() && i < header.size(); ++i) row[header[i]] = fields[i];
    return row;
  }
  return {};
}

std::string dimensions(const Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

class Truth : public testing::TestWithParam<TruthCase> {};

TEST_P(Truth, StaticFactsAreTheMeasuredOnes) {
  auto row = truth_row(GetParam().name);
  ASSERT_FALSE(row.empty());
  const auto kernel = built(GetParam().family, GetParam().options);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().what;
  const auto compiled = compile::compile(*kernel, "sm_90");
  ASSERT_TRUE(compiled.has_value()) << compiled.error().what;
  const Step& step = kernel->steps.front();
  const FunctionResources& function = *compiled->find(step.entry);

  EXPECT_EQ(dimensions(step.launch.grid), row["grid"]);
  EXPECT_EQ(dimensions(step.launch.block), row["block"]);
  EXPECT_EQ(std::to_string(function.shared_static), row["smem_static"]);
  EXPECT_EQ(std::to_string(step.launch.dynamic_shared), row["smem_dynamic"]);
  EXPECT_EQ(function.local_bytes, 0u);
  // Registers depend on the exact source, so not their count but what follows from it must be equal.
  const DeviceSpec* device = device_for_arch("sm_90");
  ASSERT_NE(device, nullptr);
  const occupancy::Usage usage{static_cast<int>(step.launch.block.count()), function.registers,
                               function.shared_static, step.launch.dynamic_shared, function.barriers};
  const OccupancyTable table = occupancy::table(*device, usage, step.launch.grid.count());
  EXPECT_EQ(table.blocks_per_sm, std::stoi(row["blocks_per_sm"])) << function.registers << " registers";
  EXPECT_EQ(table.theoretical_percent, std::stod(row["occupancy_theoretical_pct"]));
  RecordProperty("registers", function.registers);
}

TEST(TruthTable, IsCoveredCompletely) {
  std::ifstream file(GPUPROBE_TESTS_DIR "/data/truth/kernels_h200.tsv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::string name = line.substr(0, line.find('\t'));
    EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases), [&](const TruthCase& c) {
      return c.name == name;
    })) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(H200, Truth, testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace gpuprobe
