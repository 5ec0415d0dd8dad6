#include "metrics/cupti/sass_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/cupti/line_table.h"

namespace gpuprobe::cupti {
namespace {

constexpr const char* kFile = "kernel.cu";

/// Line = offset / 16 + 1, all in the kernel's own file.
Location own_line(const std::string&, std::uint64_t offset) {
  return {kFile, static_cast<int>(offset / 16 + 1)};
}

SassRecord record(std::uint64_t offset, std::map<SassMetric, double> counts) {
  return {"f", offset, std::move(counts)};
}

TEST(Sites, AGlobalStoreHasItsLineAndCost) {
  const auto sites = sites_of({record(0x20, {{SassMetric::kThreads, 64},
                                             {SassMetric::kGlobalStores, 2},
                                             {SassMetric::kGlobalSectors, 64},
                                             {SassMetric::kGlobalIdealSectors, 8},
                                             {SassMetric::kGlobalLines, 60},
                                             {SassMetric::kWidth32, 2}})},
                              own_line, kFile);
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].access, AccessKind::kGlobalStore);
  EXPECT_EQ(sites[0].line, 3);
  EXPECT_EQ(sites[0].file, kFile);
  EXPECT_EQ(sites[0].function, "f");
  EXPECT_EQ(sites[0].width, 4U);
  EXPECT_EQ(sites[0].requests, 2);
  EXPECT_EQ(sites[0].actual, 64);
  EXPECT_EQ(sites[0].ideal, 8);
  EXPECT_EQ(sites[0].lines, 60);
  EXPECT_EQ(sites[0].active_lanes, 32);
  EXPECT_EQ(sites[0].instruction, "STG.32 at 0x20");
}

TEST(Sites, InstructionsWithoutMemoryAccessAreNone) {
  EXPECT_TRUE(sites_of({record(0, {{SassMetric::kThreads, 32}}), record(16, {})}, own_line, kFile).empty());
  EXPECT_TRUE(sites_of({}, own_line, kFile).empty());
}

TEST(Sites, AnAsynchronousCopyIsALoadAndASharedStore) {
  const auto sites = sites_of({record(0, {{SassMetric::kThreads, 32},
                                          {SassMetric::kAsyncCopies, 1},
                                          {SassMetric::kGlobalSectors, 32},
                                          {SassMetric::kGlobalIdealSectors, 16},
                                          {SassMetric::kWavefronts, 32},
                                          {SassMetric::kIdealWavefronts, 4},
                                          {SassMetric::kWidth128, 1}})},
                              own_line, kFile);
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites[0].access, AccessKind::kGlobalLoad);
  EXPECT_EQ(sites[0].actual, 32);
  EXPECT_EQ(sites[1].access, AccessKind::kAsyncCopyShared);
  EXPECT_EQ(sites[1].actual, 32);
  EXPECT_EQ(sites[1].ideal, 4);
}

TEST(Sites, AGenericLoadThatMeetsBothSpacesIsTwoSites) {
  const auto sites = sites_of({record(0, {{SassMetric::kThreads, 64},
                                          {SassMetric::kGlobalLoads, 1},
                                          {SassMetric::kSharedLoads, 1},
                                          {SassMetric::kGlobalSectors, 4},
                                          {SassMetric::kGlobalIdealSectors, 4},
                                          {SassMetric::kWavefronts, 2},
                                          {SassMetric::kIdealWavefronts, 1}})},
                              own_line, kFile);
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites[0].actual, 4);
  EXPECT_EQ(sites[1].actual, 2);
}

TEST(Sites, AtomicsAndReductionsAreOneKind) {
  const auto sites = sites_of({record(0, {{SassMetric::kThreads, 32}, {SassMetric::kGlobalAtomics, 1}}),
                               record(16, {{SassMetric::kThreads, 32}, {SassMetric::kGlobalReductions, 1}})},
                              own_line, kFile);
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites[0].access, AccessKind::kGlobalAtomic);
  EXPECT_EQ(sites[1].access, AccessKind::kGlobalAtomic);
  EXPECT_THAT(sites[1].instruction, testing::StartsWith("REDG"));
}

/// Sixteen active lanes, 16 bytes each: CUPTI's ideal is 2 wavefronts, but lanes in all four phases need 4.
TEST(Sites, APartlyActiveWideAccessIsNotAccusedOfWhatNoLayoutCures) {
  const auto wide = [](double wavefronts) {
    return sites_of({record(0, {{SassMetric::kThreads, 16},
                                {SassMetric::kSharedStores, 1},
                                {SassMetric::kWavefronts, wavefronts},
                                {SassMetric::kIdealWavefronts, 2},
                                {SassMetric::kWidth128, 1}})},
                    own_line, kFile)[0];
  };
  EXPECT_EQ(wide(4).excess(), 0);
  EXPECT_EQ(wide(2).ideal, 2) << "never more than was needed";
  EXPECT_EQ(wide(16).excess(), 12) << "a real conflict still shows";
}

TEST(Sites, AFullWarpKeepsTheExactIdeal) {
  const auto sites = sites_of({record(0, {{SassMetric::kThreads, 32},
                                          {SassMetric::kSharedLoads, 1},
                                          {SassMetric::kWavefronts, 4},
                                          {SassMetric::kIdealWavefronts, 2},
                                          {SassMetric::kWidth128, 1}})},
                              own_line, kFile);
  EXPECT_EQ(sites[0].ideal, 2) << "a 16-byte broadcast costs two wavefronts";
}

TEST(Sites, AnInlinedInstructionGetsTheLineOfItsNeighbourInTheKernelsFile) {
  const LineLookup lines = [](const std::string&, std::uint64_t offset) -> Location {
    return offset == 0x20 ? Location{"/usr/include/atomics.hpp", 84} : own_line("", offset);
  };
  const auto sites = sites_of(
      {record(0x10, {}), record(0x20, {{SassMetric::kGlobalReductions, 1}}), record(0x30, {})}, lines, kFile);
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].file, kFile);
  EXPECT_EQ(sites[0].line, 2);
}

TEST(Sites, WithoutAnyLineInformationTheLineIsZero) {
  const auto sites = sites_of(
      {record(0, {{SassMetric::kGlobalLoads, 1}})},
      [](const std::string&, std::uint64_t) { return Location{}; }, kFile);
  EXPECT_EQ(sites[0].line, 0);
  EXPECT_EQ(sites[0].instruction, "LDG.32 at 0x0");
}

TEST(SassCounters, AreSumsWithTheirCountersNames) {
  const std::vector<SassRecord> records = {record(0, {{SassMetric::kThreads, 32},
                                                      {SassMetric::kSharedLoads, 1},
                                                      {SassMetric::kWavefronts, 32},
                                                      {SassMetric::kIdealWavefronts, 1}}),
                                           record(16, {{SassMetric::kTextures, 5}})};
  Counters counters;
  counters.set("global.load.sectors", {77.0, Unit::kSector, Origin::kMeasured, {}});
  set_sass_counters(counters, records, sites_of(records, own_line, kFile), "tu102");
  EXPECT_EQ(counters.number("shared.load.wavefronts"), 32);
  EXPECT_EQ(counters.number("shared.load.excess_wavefronts"), 31);
  EXPECT_EQ(counters.value("shared.load.requests")->counters.front(),
            "smsp__sass_inst_executed_op_shared_ld.sum");
  EXPECT_EQ(counters.number("shared.store.requests"), 0);
  EXPECT_EQ(counters.number("texture.instructions"), 5);
  EXPECT_EQ(counters.number("global.load.sectors"), 77) << "a hardware counter stays";
  EXPECT_THAT(counters.missing_reason("tma.instructions"), testing::HasSubstr("tu102"));
}

TEST(SameFile, ComparesWholePathComponents) {
  EXPECT_TRUE(same_file("/tmp/x/transpose/kernel.cu", "transpose/kernel.cu"));
  EXPECT_TRUE(same_file("kernel.cu", "kernel.cu"));
  EXPECT_FALSE(same_file("/tmp/mykernel.cu", "kernel.cu"));
  EXPECT_FALSE(same_file("kernel.cu", "transpose/kernel.cu"));
  EXPECT_FALSE(same_file("", "kernel.cu"));
  EXPECT_FALSE(same_file("kernel.cu", ""));
}

}  // namespace
}  // namespace gpuprobe::cupti
