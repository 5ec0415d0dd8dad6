// The static facts of the kernels against what was measured on an H200 (tests/data/truth/kernels_h200.tsv):
// grid, block, shared memory, and the occupancy that follows from the registers of the cubin.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "model/devices/devices.h"
#include "model/occupancy/calculator.h"
#include "unit/kernels/families.h"
#include "unit/kernels/truth.h"

namespace gpuprobe {
namespace {

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
    EXPECT_TRUE(std::any_of(truth_cases().begin(), truth_cases().end(), [&](const TruthCase& c) {
      return c.name == name;
    })) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(H200, Truth, testing::ValuesIn(truth_cases()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace gpuprobe
