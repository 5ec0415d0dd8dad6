// Worked examples with known answers: course notes, public cases, and the launches measured on the H200.
#include "model/occupancy/calculator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "model/devices/devices.h"
#include "model/occupancy/explain.h"
#include "unit/model/tsv.h"

namespace gpuprobe::occupancy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Example {
  const char* name;
  Usage usage;
  int blocks;
  double percent;
  std::vector<Resource> limiters;
};

const DeviceSpec& h200() {
  return *device_for_arch("sm_90");
}

class OccupancyExamples : public ::testing::TestWithParam<Example> {};

TEST_P(OccupancyExamples, HasTheKnownAnswerOnSm90) {
  const Example& example = GetParam();
  const OccupancyTable got = table(h200(), example.usage, 1);
  EXPECT_EQ(got.blocks_per_sm, example.blocks);
  EXPECT_DOUBLE_EQ(got.theoretical_percent, example.percent);
  EXPECT_EQ(got.limiters, example.limiters);
}

constexpr auto kW = Resource::kWarps;
constexpr auto kB = Resource::kBlocks;
constexpr auto kR = Resource::kRegisters;
constexpr auto kS = Resource::kShared;

INSTANTIATE_TEST_SUITE_P(
    Documents, OccupancyExamples,
    ::testing::Values(Example{"course_256x32_8KiB", {256, 32, 8192, 0, 1}, 8, 100, {kW, kR}},
                      Example{"course_256x64_8KiB", {256, 64, 8192, 0, 1}, 4, 50, {kR}},
                      Example{"course_tile16", {256, 32, 2048, 0, 1}, 8, 100, {kW, kR}},
                      Example{"course_tile32", {1024, 32, 8192, 0, 1}, 2, 100, {kW, kR}},
                      Example{"course_100KiB", {256, 32, 0, 100 * 1024, 1}, 2, 25, {kS}},
                      Example{"registers_92_threads_224", {224, 92, 0, 0, 1}, 2, 21.875, {kR}},
                      Example{"O01_1024x40", {1024, 40, 0, 0, 1}, 1, 50, {kR}},
                      Example{"O01_256x40", {256, 40, 0, 0, 1}, 6, 75, {kR}},
                      Example{"O03_41", {256, 41, 0, 0, 1}, 5, 62.5, {kR}},
                      Example{"O03_43", {256, 43, 0, 0, 1}, 5, 62.5, {kR}},
                      Example{"O03_128x43", {128, 43, 0, 0, 1}, 10, 62.5, {kR}},
                      Example{"O05", {128, 85, 0, 0, 1}, 5, 31.25, {kR}},
                      Example{"O07", {768, 36, 0, 0, 1}, 2, 75, {kW, kR}},
                      Example{"O09_32", {32, 16, 0, 0, 1}, 32, 50, {kB}},
                      Example{"O09_4x4", {16, 16, 0, 0, 1}, 32, 50, {kB}},
                      Example{"O09_8x8", {64, 16, 0, 0, 1}, 32, 100, {kW, kB}},
                      Example{"O09_96", {96, 16, 0, 0, 1}, 21, 98.4375, {kW}},
                      Example{"O11_512x156", {512, 156, 0, 0, 1}, 0, 0, {kR}},
                      Example{"O11_256x156", {256, 156, 0, 0, 1}, 1, 12.5, {kR}},
                      Example{"O13_48", {256, 48, 32768, 0, 1}, 5, 62.5, {kR}},
                      Example{"O13_80", {256, 80, 32768, 0, 1}, 3, 37.5, {kR}},
                      Example{"O15", {256, 168, 65536, 0, 1}, 1, 12.5, {kR}},
                      Example{"O17_64", {64, 64, 0, 0, 1}, 16, 50, {kR}},
                      Example{"O17_128", {128, 64, 0, 0, 1}, 8, 50, {kR}},
                      Example{"O19", {256, 32, 0, 113 * 1024, 1}, 2, 25, {kS}},
                      Example{"O19_114KiB", {256, 32, 0, 114 * 1024, 1}, 1, 12.5, {kS}},
                      Example{"S21_histogram", {128, 16, 32768, 0, 1}, 6, 37.5, {kS}}),
    [](const auto& example) { return std::string(example.param.name); });

TEST(Occupancy, LimiterChangesWithTheArchitecture) {
  // O13: 256 threads, 48 registers, 32 KiB: registers on sm_90, shared memory on sm_89.
  const Usage usage{256, 48, 32768, 0, 1};
  EXPECT_THAT(table(h200(), usage, 1).limiters, ElementsAre(kR));
  EXPECT_THAT(table(*device_for_arch("sm_89"), usage, 1).limiters, ElementsAre(kS));
  // O17: on sm_86 the 16 block slots tie with the registers.
  EXPECT_THAT(table(*device_for_arch("sm_86"), {64, 64, 0, 0, 1}, 1).limiters, ElementsAre(kB, kR));
}

TEST(Occupancy, TailOfOneBlockMoreThanTheDeviceHolds) {
  const Usage usage{256, 32, 0, 114 * 1024, 1};
  EXPECT_DOUBLE_EQ(table(h200(), usage, 132).waves, 1.0);
  EXPECT_NEAR(table(h200(), usage, 133).waves, 1.0076, 1e-4);
  EXPECT_DOUBLE_EQ(table(h200(), usage, 264).waves, 2.0);
}

TEST(Occupancy, AgreesWithEveryLaunchMeasuredOnTheH200) {
  const auto rows = testing::read_tsv(std::string(GPUPROBE_TESTS_DIR) + "/data/truth/kernels_h200.tsv");
  ASSERT_GE(rows.size(), 35u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.at("case"));
    int x = 0, y = 0, z = 0;
    ASSERT_EQ(std::sscanf(row.at("block").c_str(), "(%d, %d, %d)", &x, &y, &z), 3);
    const Usage usage{x * y * z, std::stoi(row.at("regs")),
                      static_cast<std::uint32_t>(std::stoul(row.at("smem_static"))),
                      static_cast<std::uint32_t>(std::stoul(row.at("smem_dynamic"))), 1};
    const OccupancyTable got = table(h200(), usage, 1);
    EXPECT_EQ(got.blocks_per_sm, std::stoi(row.at("blocks_per_sm")));
    EXPECT_DOUBLE_EQ(got.theoretical_percent, std::stod(row.at("occupancy_theoretical_pct")));
  }
}

TEST(Occupancy, EdgesDoNotOverflow) {
  for (const Usage& usage : {Usage{0, 0, 0, 0, 0}, Usage{-5, -5, 0, 0, -5}, Usage{1, 255, 0, 0, 16},
                             Usage{2147483647, 2147483647, 4294967295u, 4294967295u, 2147483647}}) {
    const OccupancyTable got = table(h200(), usage, ~std::uint64_t{0});
    EXPECT_GE(got.blocks_per_sm, 0);
    EXPECT_EQ(explain(h200(), usage).size(), got.limits.size());
    next_steps(h200(), usage);
  }
  EXPECT_EQ(table(h200(), {0, 32, 0, 0, 1}, 1).blocks_per_sm, 0);
  EXPECT_EQ(table(h200(), {1025, 32, 0, 0, 1}, 1).blocks_per_sm, 0);
}

TEST(NextSteps, FullOccupancyNeedsNone) {
  EXPECT_THAT(next_steps(h200(), {256, 32, 8192, 0, 1}), IsEmpty());
}

TEST(NextSteps, RegistersThatBuyABlock) {
  const auto steps = next_steps(h200(), {256, 48, 0, 0, 1});
  ASSERT_FALSE(steps.empty());
  EXPECT_THAT(steps[0].text, HasSubstr("at most 40 registers a thread (now 48): 6 blocks per SM, 75 %"));
  EXPECT_EQ(steps[0].blocks_per_sm, 6);
}

TEST(NextSteps, SharedMemoryThatBuysABlock) {
  const auto steps = next_steps(h200(), {256, 32, 0, 114 * 1024, 1});
  ASSERT_FALSE(steps.empty());
  EXPECT_THAT(steps[0].text,
              HasSubstr("at most 115712 bytes of shared memory a block (now 116736): 2 blocks"));
}

TEST(NextSteps, TiedResourcesAreLoweredTogether) {
  // 4 blocks by registers (64 x 256) and by shared memory (56 KiB).
  const Usage usage{256, 64, 0, 56 * 1024, 1};
  EXPECT_THAT(table(h200(), usage, 1).limiters, ElementsAre(kR, kS));
  const auto steps = next_steps(h200(), usage);
  ASSERT_FALSE(steps.empty());
  EXPECT_THAT(steps[0].text, HasSubstr("registers a thread (now 64) and at most"));
  EXPECT_EQ(steps[0].blocks_per_sm, 5);
}

TEST(NextSteps, LaunchThatCannotRun) {
  const auto steps = next_steps(h200(), {512, 156, 0, 0, 1});
  ASSERT_FALSE(steps.empty());
  EXPECT_THAT(steps[0].text, HasSubstr("at most 128 registers a thread (now 156): 1 block per SM, 25 %"));
}

TEST(NextSteps, SmallBlocksNeedLargerOnes) {
  const auto steps = next_steps(h200(), {32, 16, 0, 0, 1});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_THAT(steps[0].text, HasSubstr("blocks of 64 threads (now 32): 32 blocks per SM, 100 %"));
}

TEST(NextSteps, EveryStepDeliversWhatItSays) {
  for (int threads : {32, 96, 224, 256, 512, 1024})
    for (int registers : {24, 41, 64, 92, 128, 200})
      for (std::uint32_t shared : {0u, 9000u, 33000u, 120000u}) {
        const Usage usage{threads, registers, 0, shared, 2};
        const OccupancyTable now = table(h200(), usage, 1);
        for (const NextStep& step : next_steps(h200(), usage)) {
          EXPECT_TRUE(step.blocks_per_sm > now.blocks_per_sm ||
                      step.theoretical_percent > now.theoretical_percent)
              << step.text;
          EXPECT_LE(step.theoretical_percent, 100);
        }
      }
}

TEST(Explain, SaysTheArithmeticOfRegisters) {
  const auto rows = explain(h200(), {256, 40, 0, 0, 1});
  EXPECT_EQ(rows[2].arithmetic,
            "40 registers x 32 lanes = 1280 a warp (a multiple of 256); 16384 registers a scheduler / 1280 = "
            "12 warps; "
            "4 schedulers x 12 = 48 warps; / 8 warps a block = 6 blocks");
  EXPECT_EQ(rows[2].naive, "");
  const auto rounded = explain(h200(), {224, 92, 0, 0, 1});
  EXPECT_THAT(rounded[2].arithmetic,
              HasSubstr("92 registers x 32 lanes = 2944 a warp, rounded up to 3072 (unit 256)"));
  EXPECT_THAT(rounded[2].naive, HasSubstr("65536 / (92 x 224) = 3 forgets"));
}

TEST(Explain, SaysWhyTheCourseDivisionDiffers) {
  const auto rows = explain(h200(), {256, 32, 8192, 0, 1});
  EXPECT_EQ(rows[3].blocks, 25);
  EXPECT_EQ(rows[3].arithmetic,
            "8 KiB requested + 1 KiB reserved for each block = 9 KiB; 228 KiB / 9 KiB = 25 blocks");
  EXPECT_EQ(rows[3].naive,
            "228 KiB / 8 KiB = 28 forgets the 1024 bytes that the system takes for each block: 25");
}

TEST(Explain, SaysWhyALaunchCannotRun) {
  EXPECT_THAT(explain(h200(), {512, 156, 0, 0, 1})[2].arithmetic,
              HasSubstr("but a block can have at most 65536"));
  EXPECT_THAT(explain(h200(), {256, 32, 0, 232 * 1024, 1})[3].arithmetic,
              HasSubstr("at most 227 KiB of its own"));
  EXPECT_THAT(explain(h200(), {2048, 16, 0, 0, 1})[0].arithmetic, HasSubstr("1024 are the most"));
  EXPECT_THAT(explain(*device_for_arch("sm_75"), {256, 32, 0, 0, 1})[3].arithmetic, HasSubstr("no limit"));
}

}  // namespace
}  // namespace gpuprobe::occupancy
