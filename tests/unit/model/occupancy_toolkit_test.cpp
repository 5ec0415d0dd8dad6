// The calculator against cuda_occupancy.h: every limit field over random launches on seven architectures.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "model/occupancy/limits.h"
#include "unit/model/occupancy_reference.h"

namespace gpuprobe::occupancy {
namespace {

using testing::toolkit_occupancy;

constexpr const char* kArchs[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};
constexpr int kCombinations = 20000;  // for each architecture

std::map<Resource, int> limits_of(const OccupancyTable& table) {
  std::map<Resource, int> limits;
  for (const ResourceLimit& limit : table.limits) limits[limit.resource] = limit.blocks;
  return limits;
}

Usage random_usage(std::mt19937_64& random, const DeviceSpec& device) {
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  Usage usage;
  usage.threads_per_block =
      below(4) == 0 ? 32 * static_cast<int>(1 + below(33)) : static_cast<int>(1 + below(1056));
  usage.registers_per_thread = static_cast<int>(below(256));
  const std::uint32_t most = static_cast<std::uint32_t>(device.shared_per_sm) + 4096;
  if (below(3) != 0) usage.shared_static = below(below(2) == 0 ? 49153 : 4096);
  if (below(3) != 0) usage.shared_dynamic = below(below(2) == 0 ? most : 8192);
  usage.barriers = static_cast<int>(below(below(4) == 0 ? 17 : 2));
  if (below(4) == 0) {  // small blocks, so that the block slots decide
    usage.threads_per_block = static_cast<int>(1 + below(96));
    usage.registers_per_thread = static_cast<int>(below(64));
    usage.shared_static = below(2048);
    usage.shared_dynamic = 0;
  }
  return usage;
}

class OccupancyToolkit : public ::testing::TestWithParam<const char*> {};

TEST_P(OccupancyToolkit, EveryLimitAgreesOverRandomLaunches) {
  const DeviceSpec* device = device_for_arch(GetParam());
  ASSERT_NE(device, nullptr);
  std::mt19937_64 random(20261129);
  std::map<Resource, int> limited_by;
  int cannot_run = 0;
  for (int i = 0; i < kCombinations; ++i) {
    const Usage usage = random_usage(random, *device);
    SCOPED_TRACE(::testing::Message() << usage.threads_per_block << " threads, " << usage.registers_per_thread
                                      << " registers, " << usage.shared_static << " + "
                                      << usage.shared_dynamic << " bytes, " << usage.barriers << " barriers");
    const cudaOccResult expected = toolkit_occupancy(*device, usage);
    const OccupancyTable got = table(*device, usage, 1);
    auto limits = limits_of(got);
    ASSERT_EQ(limits.at(Resource::kWarps), expected.blockLimitWarps);
    ASSERT_EQ(limits.at(Resource::kBlocks), expected.blockLimitBlocks);
    ASSERT_EQ(limits.at(Resource::kRegisters), expected.blockLimitRegs);
    ASSERT_EQ(limits.at(Resource::kShared), expected.blockLimitSharedMem);
    const int barriers =
        limits.contains(Resource::kBarriers) ? limits[Resource::kBarriers] : kUnlimitedBlocks;
    ASSERT_EQ(barriers, expected.blockLimitBarriers);
    ASSERT_EQ(got.blocks_per_sm, expected.activeBlocksPerMultiprocessor);
    ASSERT_EQ(got.shared_per_block, expected.allocatedSharedMemPerBlock);
    ASSERT_EQ(register_use(*device, usage).per_block, expected.allocatedRegistersPerBlock);

    // The toolkit keeps the earlier factors when barriers turn out lower; ours names the minimum alone.
    unsigned factors = 0;
    for (Resource limiter : got.limiters) {
      constexpr unsigned kFactor[] = {OCC_LIMIT_WARPS, OCC_LIMIT_BLOCKS, OCC_LIMIT_REGISTERS,
                                      OCC_LIMIT_SHARED_MEMORY, OCC_LIMIT_BARRIERS};
      factors |= kFactor[static_cast<int>(limiter)];
      ++limited_by[limiter];
    }
    if (expected.limitingFactors & OCC_LIMIT_BARRIERS) {
      ASSERT_TRUE(factors & OCC_LIMIT_BARRIERS);
    } else {
      ASSERT_EQ(factors, expected.limitingFactors);
    }
    cannot_run += got.blocks_per_sm == 0;
  }
  // The sample is worth something only if every limiter decides often.
  for (Resource resource : {Resource::kWarps, Resource::kBlocks, Resource::kRegisters, Resource::kShared})
    EXPECT_GT(limited_by[resource], kCombinations / 200) << to_string(resource);
  EXPECT_EQ(limited_by[Resource::kBarriers] > 0, device->max_barriers_per_sm > 0);
  EXPECT_GT(cannot_run, kCombinations / 100);
  EXPECT_LT(cannot_run, kCombinations * 9 / 10);
}

TEST_P(OccupancyToolkit, EveryCarveOutAgrees) {
  const DeviceSpec* device = device_for_arch(GetParam());
  ASSERT_NE(device, nullptr);
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    const Usage usage = random_usage(random, *device);
    const OccupancyTable got = table(*device, usage, 1);
    ASSERT_EQ(got.at_carveouts.size() + 1, device->carveouts_kib.size());
    for (const auto& at : got.at_carveouts) {
      // The percentage that selects this carve-out; the toolkit rounds up to the next that exists.
      const int percent = at.carveout_kib * 1024 * 100 / device->shared_per_sm;
      // A block that does not fit makes the driver choose a larger carve-out; ours says that none fits.
      if (got.shared_per_block > static_cast<std::uint32_t>(at.carveout_kib) * 1024) {
        ASSERT_EQ(at.blocks_per_sm, 0);
      } else {
        ASSERT_EQ(at.blocks_per_sm, toolkit_occupancy(*device, usage, percent).blockLimitSharedMem)
            << at.carveout_kib << " KiB";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Archs, OccupancyToolkit, ::testing::ValuesIn(kArchs),
                         [](const auto& example) { return std::string(example.param); });

}  // namespace
}  // namespace gpuprobe::occupancy
