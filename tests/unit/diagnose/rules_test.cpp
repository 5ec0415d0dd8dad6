// One planted fact a test: what each rule says, what it must not say, and how it says it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "build_run.h"
#include "diagnose/diagnose.h"
#include "diagnose/rule.h"
#include "model/devices/devices.h"

namespace gpuprobe::diagnose {
namespace {

using testing::HasSubstr;
using testing::Not;

const Finding* find(const Diagnosis& diagnosis, FindingKind kind) {
  const auto found = std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                                  [kind](const Finding& finding) { return finding.kind == kind; });
  return found == diagnosis.findings.end() ? nullptr : &*found;
}

std::function<std::uint64_t(std::uint32_t)> strided(std::uint64_t step, std::uint64_t offset = 0) {
  return [=](std::uint32_t lane) { return offset + lane * step; };
}

/// The unpadded 32x32 transpose of 4096x4096 floats, as predicted.
RunBuilder tiled_transpose() {
  RunBuilder builder;
  builder.predicted()
      .grid(128, 128)
      .block(32, 32)
      .registers(14)
      .shared_bytes(4096)
      .number("issue.warp_instructions", 524288.0 * 24)
      .unique(67108864, 67108864)
      .access_at(20, AccessKind::kGlobalLoad, 4, 524288, strided(4))
      .access_at(21, AccessKind::kSharedStore, 4, 524288, strided(4))
      .access_at(24, AccessKind::kSharedLoad, 4, 524288, strided(128))
      .access_at(25, AccessKind::kGlobalStore, 4, 524288, strided(4));
  return builder;
}

TEST(Rules, EveryKindIsReportedByExactlyOneRule) {
  std::set<FindingKind> kinds;
  for (const Rule& rule : rules())
    for (FindingKind kind : rule.kinds) EXPECT_TRUE(kinds.insert(kind).second) << to_string(kind);
  for (FindingKind kind : all_finding_kinds())
    // A mismatch needs two runs, and is found where both are at hand.
    EXPECT_EQ(kinds.count(kind), kind == FindingKind::kPredictionMismatch ? 0u : 1u) << to_string(kind);
}

TEST(BankConflict, NamesDegreePlaceAndCost) {
  const Diagnosis diagnosis = diagnose(tiled_transpose().build());
  EXPECT_EQ(diagnosis.verdict.kind, "bank-conflict-load");
  EXPECT_EQ(diagnosis.verdict.text,
            "shared loads conflict 32-way at planted.cu:24: 32.0 wavefronts a request where 1.0 would do");
}

TEST(BankConflict, FindsTheSmallestPadAndItsPrice) {
  const Diagnosis diagnosis = diagnose(tiled_transpose().build());
  const Finding* finding = find(diagnosis, FindingKind::kBankConflictLoad);
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->cure, HasSubstr("pad each row by 1 element of 4 bytes: rows of 33 in place of 32"));
  EXPECT_THAT(finding->cure, HasSubstr("XOR the column with (row & 31)"));
  EXPECT_EQ(finding->price, "at least 128 bytes of shared memory a block: 2 blocks per SM as before");
}

TEST(BankConflict, PriceIsCountedInLostBlocks) {
  // 28 x (8192 + 1024) bytes fill the SM's 228 KiB but for a few hundred bytes: 128 more a block cost a
  // block.
  const gpuprobe::Run run = tiled_transpose().block(32, 2).shared_bytes(8320 - 128).build();
  ASSERT_EQ(run.occupancy[0].blocks_per_sm, 25);
  const Finding* finding = nullptr;
  const Diagnosis diagnosis = diagnose(run);
  finding = find(diagnosis, FindingKind::kBankConflictLoad);
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->price, HasSubstr("24 blocks per SM in place of 25"));
}

TEST(BankConflict, PrefersTheKernelsOwnOptions) {
  const Diagnosis diagnosis = diagnose(tiled_transpose()
                                           .option("tile", "32")
                                           .option("pad", "0")
                                           .cure("bank-conflict-load", "--pad", "pad each row by 1 element")
                                           .cure("bank-conflict-load", "--swizzle", "permute each row")
                                           .cure("uncoalesced-load", "--other", "no")
                                           .build());
  const Finding* finding = find(diagnosis, FindingKind::kBankConflictLoad);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(
      finding->cure,
      "gpuprobe planted --tile 32 --pad (pad each row by 1 element), or gpuprobe planted --tile 32 --pad 0 "
      "--swizzle (permute each row)");
}

TEST(BankConflict, WideAccessIsNotCalledAConflict) {
  const Diagnosis diagnosis =
      diagnose(tiled_transpose().access_at(30, AccessKind::kSharedLoad, 16, 524288, strided(16)).build());
  const Finding* finding = find(diagnosis, FindingKind::kBankConflictLoad);
  ASSERT_NE(finding, nullptr);
  for (const Site& site : finding->sites) EXPECT_NE(site.line, 30);
}

TEST(BankConflict, DegreeIsAgainstTheIdealNotARequest) {
  const Diagnosis diagnosis =
      diagnose(RunBuilder()
                   .predicted()
                   .grid(528)
                   .number("issue.warp_instructions", 4224.0 * 1024)
                   .access_at(5, AccessKind::kSharedLoad, 16, 4224.0 * 256, strided(128))
                   .build());
  EXPECT_EQ(diagnosis.verdict.text,
            "shared loads conflict at planted.cu:5, 8.0 times the ideal: 32.0 wavefronts a request where 4.0 "
            "would do");
}

TEST(BankConflict, HardwareCountWithoutExcessIsExplainedAsArbitration) {
  const Diagnosis diagnosis = diagnose(RunBuilder()
                                           .shared_load(524288, 524288, 524288)
                                           .number("shared.conflicts_hw.load", 101680)
                                           .time_us(80)
                                           .busy(37, 44, 17, 29)
                                           .build());
  EXPECT_EQ(find(diagnosis, FindingKind::kBankConflictLoad), nullptr);
  EXPECT_EQ(diagnosis.verdict.kind, "latency-bound");
  EXPECT_THAT(diagnosis.verdict.text,
              HasSubstr("101,680 bank conflicts that the hardware counts are arbitration"));
}

TEST(AsyncCopy, ConflictingDestinationIsNotAnUncoalescedSource) {
  const auto copies = [](std::uint64_t pitch) {
    RunBuilder builder;
    builder.predicted().grid(1056).number("issue.warp_instructions", 4e6);
    builder.access_at(7, AccessKind::kAsyncCopyShared, 16, 1e6, strided(pitch));
    gpuprobe::Run run = builder.build();
    Site source = run.sites.front();
    source.access = AccessKind::kGlobalLoad;
    source.actual = pitch == 16 ? 16e6 : 32e6;  // measured: a conflicting destination doubles the sectors
    source.ideal = 16e6;
    source.worst.reset();
    run.sites.push_back(source);
    run.counters.set("global.load.requests", {1e6, Unit::kRequest, Origin::kPredicted, {}});
    run.counters.set("global.load.sectors", {source.actual, Unit::kSector, Origin::kPredicted, {}});
    run.counters.set("global.load.ideal_sectors", {source.ideal, Unit::kSector, Origin::kPredicted, {}});
    return run;
  };
  const Diagnosis bad = diagnose(copies(128));
  ASSERT_NE(find(bad, FindingKind::kAsyncCopyConflict), nullptr);
  EXPECT_EQ(bad.verdict.kind, "async-copy-conflict");
  EXPECT_EQ(find(bad, FindingKind::kUncoalescedLoad), nullptr);
  EXPECT_THAT(bad.verdict.text, HasSubstr("32.0 wavefronts a request where 4.0 would do"));
  EXPECT_EQ(find(diagnose(copies(16)), FindingKind::kAsyncCopyConflict), nullptr);
}

TEST(Atomics, LanesOnOneWordAreContentionNotABankConflict) {
  const auto histogram = [](std::uint64_t step) {
    return RunBuilder()
        .predicted()
        .grid(1056)
        .number("issue.warp_instructions", 4e6)
        .access_at(9, AccessKind::kSharedAtomic, 4, 1e6, strided(step))
        .build();
  };
  const Diagnosis same_word = diagnose(histogram(0));
  const Finding* finding = find(same_word, FindingKind::kAtomicContention);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kLimiting);
  EXPECT_THAT(finding->text, HasSubstr("32.0 lanes of a request want the same word"));
  EXPECT_EQ(find(same_word, FindingKind::kBankConflictLoad), nullptr);
  EXPECT_EQ(find(diagnose(histogram(4)), FindingKind::kAtomicContention), nullptr);
}

TEST(Misaligned, OneSectorMoreThanContiguousLanesNeed) {
  const auto shifted = [](std::uint64_t offset) {
    return RunBuilder()
        .predicted()
        .grid(65536)
        .number("issue.warp_instructions", 524288.0 * 16)
        .access_at(5, AccessKind::kGlobalLoad, 4, 524288, strided(4, offset))
        .access_at(6, AccessKind::kGlobalStore, 4, 524288, strided(4))
        .unique(67108864, 67108864)
        .build();
  };
  const Diagnosis off = diagnose(shifted(4));
  const Finding* finding = find(off, FindingKind::kMisaligned);
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->text, HasSubstr("5.0 sectors a request where 4.0 would do"));
  EXPECT_EQ(find(off, FindingKind::kUncoalescedLoad), nullptr);
  EXPECT_EQ(find(diagnose(shifted(32)), FindingKind::kMisaligned), nullptr);
}

TEST(Misaligned, IsInferredFromTotalsWhereNoAddressesWereSeen) {
  for (const double ideal : {4.0, 8.0, 16.0}) {
    const Diagnosis diagnosis = diagnose(
        RunBuilder().load(1e6, (ideal + 1) * 1e6, ideal * 1e6).time_us(100).busy(60, 70, 20, 20).build());
    ASSERT_NE(find(diagnosis, FindingKind::kMisaligned), nullptr) << ideal;
    EXPECT_EQ(find(diagnosis, FindingKind::kUncoalescedLoad), nullptr) << ideal;
  }
}

TEST(Uncoalesced, AFewScatteredRequestsAmongManyAreNotCalledMisaligned) {
  const Diagnosis diagnosis =
      diagnose(RunBuilder().load(1e6, 1.05e6, 1e6).time_us(100).busy(60, 70, 20, 20).build());
  EXPECT_EQ(find(diagnosis, FindingKind::kMisaligned), nullptr);
}

TEST(Uncoalesced, FloatFourAtSixteenSectorsIsPerfect) {
  const Diagnosis diagnosis =
      diagnose(RunBuilder().load(1e6, 16e6, 16e6).time_us(150).busy(88, 80, 20, 5).build());
  EXPECT_EQ(diagnosis.verdict.kind, "dram-bound");
  EXPECT_THAT(diagnosis.findings, testing::IsEmpty());
}

TEST(Uncoalesced, AStoreOfOneLaneIsNegligible) {
  const Diagnosis diagnosis = diagnose(
      RunBuilder().load(1e6, 4e6, 4e6).store(100, 3200, 400).time_us(40).busy(70, 70, 20, 20).build());
  const Finding* finding = find(diagnosis, FindingKind::kUncoalescedStore);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kNegligible);
  EXPECT_EQ(diagnosis.verdict.kind, "dram-bound");
}

TEST(Occupancy, LowOccupancyWithBusyIssueSlotsIsNoFault) {
  const Diagnosis diagnosis =
      diagnose(RunBuilder().grid(1320).registers(160).time_us(100).busy(5, 5, 5, 86).build());
  const Finding* finding = find(diagnosis, FindingKind::kOccupancyRegisters);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kNegligible);
  EXPECT_EQ(diagnosis.verdict.kind, "issue-bound");
}

TEST(Occupancy, LowOccupancyByRegistersThatStarvesTheSchedulersIsTheVerdict) {
  const gpuprobe::Run run = RunBuilder().grid(1320).registers(160).time_us(100).busy(5, 5, 5, 20).build();
  ASSERT_EQ(run.occupancy[0].theoretical_percent, 12.5);
  const Diagnosis diagnosis = diagnose(run);
  EXPECT_EQ(diagnosis.verdict.kind, "occupancy-registers");
  EXPECT_THAT(diagnosis.verdict.text, HasSubstr("12.5 % by 160 registers a thread"));
  EXPECT_THAT(diagnosis.findings.front().cure, HasSubstr("at most 128 registers"));
}

TEST(Occupancy, MeasuredGainOfMoreWarpsLiesInTheInterval) {
  // Measured: 12.5 % by shared memory, 37 % issue; with more warps 1.8 times as fast.
  const Diagnosis diagnosis = diagnose(
      RunBuilder().grid(1320).shared_bytes(200 * 1024).block(256).time_us(100).busy(5, 5, 5, 37).build());
  const Finding* finding = find(diagnosis, FindingKind::kOccupancyShared);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kLimiting);
  EXPECT_LE(finding->gain->low, 1.8);
  EXPECT_GE(finding->gain->high, 1.8);
}

TEST(Occupancy, PredictedIsNoFaultWhereEachWarpHasChainsEnough) {
  // Two warps a scheduler: with a pace of four cycles they fill half of the slots, with one all of them.
  const auto predicted = [](double pace) {
    return diagnose(RunBuilder()
                        .predicted()
                        .grid(1320)
                        .registers(160)
                        .number("issue.warp_instructions", 1e9)
                        .number("issue.cycles_per_instruction", pace)
                        .build());
  };
  const Diagnosis chain = predicted(4.0);
  const Diagnosis chains = predicted(1.0);
  EXPECT_EQ(chain.verdict.kind, "occupancy-registers");
  EXPECT_EQ(chains.verdict.kind, "issue-bound");
  const Finding* finding = find(chains, FindingKind::kOccupancyRegisters);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kNegligible);
  EXPECT_EQ(finding->evidence.back().text,
            "one warp alone issues every 1.0 cycles and waits for its loads; those that reside can issue in "
            "100 % of the cycles");
}

TEST(Occupancy, NamesAllTiedLimiters) {
  const gpuprobe::Run run = RunBuilder()
                                .grid(13200)
                                .block(64)
                                .registers(64)
                                .shared_bytes(13 * 1024)
                                .time_us(50)
                                .busy(5, 5, 5, 15)
                                .build();
  ASSERT_GE(run.occupancy[0].limiters.size(), 2u);
  const Diagnosis diagnosis = diagnose(run);
  const Finding* finding = find(diagnosis, FindingKind::kOccupancyRegisters);
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->text, HasSubstr("64 registers a thread"));
  EXPECT_THAT(finding->text, HasSubstr("bytes of shared memory a block"));
  EXPECT_THAT(finding->text, HasSubstr("(tied)"));
}

TEST(Occupancy, TinyBlocksAreLimitedByTheBlocksPerSm) {
  const Diagnosis diagnosis =
      diagnose(RunBuilder().grid(500000).block(32).time_us(500).busy(10, 10, 5, 10).build());
  ASSERT_NE(find(diagnosis, FindingKind::kOccupancyBlockSize), nullptr);
}

TEST(Occupancy, IsSecondWhereItComesWithAConflict) {
  const Diagnosis diagnosis = diagnose(RunBuilder()
                                           .grid(32, 32)
                                           .block(32, 32)
                                           .registers(38)
                                           .shared_load(16777216, 285212672, 50331648)
                                           .time_us(1306)
                                           .busy(0.3, 1.5, 94.9, 5.9)
                                           .build());
  EXPECT_EQ(diagnosis.verdict.kind, "bank-conflict-load");
  ASSERT_GE(diagnosis.findings.size(), 2u);
  EXPECT_EQ(diagnosis.findings[1].kind, FindingKind::kOccupancyRegisters);
}

TEST(Grid, FewerBlocksThanSms) {
  const Diagnosis diagnosis =
      diagnose(RunBuilder().grid(7).block(768).registers(40).time_us(50).busy(1, 1, 2, 3).build());
  EXPECT_EQ(diagnosis.verdict.kind, "grid-too-small");
  EXPECT_THAT(diagnosis.verdict.text, HasSubstr("7 blocks leaves 125 of 132 SMs idle"));
}

TEST(Grid, OneWarpAnSmLeavesSchedulersIdle) {
  EXPECT_NE(find(diagnose(RunBuilder().grid(132).block(32).time_us(50).busy(1, 1, 2, 3).build()),
                 FindingKind::kGridTooSmall),
            nullptr);
  EXPECT_EQ(find(diagnose(RunBuilder().grid(132).block(256).time_us(50).busy(1, 1, 2, 3).build()),
                 FindingKind::kGridTooSmall),
            nullptr);
}

TEST(Tail, OneBlockTooMany) {
  const auto one_block_an_sm = [](std::uint32_t blocks) {
    return diagnose(
        RunBuilder().grid(blocks).shared_bytes(200 * 1024).time_us(200).busy(1, 1, 2, 30).build());
  };
  const Diagnosis diagnosis = one_block_an_sm(133);
  EXPECT_EQ(diagnosis.verdict.kind, "tail") << diagnosis.verdict.text;
  const Finding* finding = find(diagnosis, FindingKind::kTail);
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->gain->high, 264.0 / 133.0, 1e-9);
  EXPECT_EQ(find(one_block_an_sm(132), FindingKind::kTail), nullptr);
  EXPECT_EQ(find(one_block_an_sm(264), FindingKind::kTail), nullptr);
  EXPECT_EQ(find(one_block_an_sm(132 * 40 + 1), FindingKind::kTail), nullptr) << "40 waves hide one more";
}

TEST(PartialWarps, HalfEmptyWarps) {
  const Diagnosis diagnosis =
      diagnose(RunBuilder().grid(65536).block(4, 4).time_us(100).busy(5, 8, 10, 20).build());
  const Finding* finding = find(diagnosis, FindingKind::kPartialWarps);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kLimiting);
  EXPECT_THAT(finding->text, HasSubstr("16 threads leave 16 of 32 lanes of their warp empty"));
  EXPECT_EQ(find(diagnose(RunBuilder().block(8, 8).build()), FindingKind::kPartialWarps), nullptr);
  // The launches of a library call are its own choice: a block of none has no empty lanes.
  EXPECT_EQ(find(diagnose(RunBuilder().grid(0).block(0).build()), FindingKind::kPartialWarps), nullptr);
}

TEST(LocalMemory, SpillsAreNotGlobalTraffic) {
  const Diagnosis diagnosis = diagnose(RunBuilder()
                                           .number("local.load.requests", 1e7)
                                           .number("local.load.sectors", 4e7)
                                           .number("local.store.requests", 1e7)
                                           .number("local.store.sectors", 4e7)
                                           .number("issue.warp_instructions", 4e7)
                                           .time_us(400)
                                           .busy(10, 70, 40, 30)
                                           .build());
  const Finding* finding = find(diagnosis, FindingKind::kLocalMemory);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::kLimiting);
  EXPECT_EQ(find(diagnosis, FindingKind::kUncoalescedStore), nullptr);
  EXPECT_EQ(find(diagnose(RunBuilder().build()), FindingKind::kLocalMemory), nullptr);
}

TEST(Imbalance, NeedsEvidenceFromTheGpu) {
  const auto achieved = [](double percent, double microseconds) {
    return diagnose(RunBuilder()
                        .grid(10560)
                        .number("occupancy.achieved", percent)
                        .time_us(microseconds)
                        .busy(5, 5, 5, 20)
                        .build());
  };
  ASSERT_NE(find(achieved(20, 2000), FindingKind::kImbalance), nullptr);
  EXPECT_EQ(find(achieved(85, 2000), FindingKind::kImbalance), nullptr);
  // Warps that live for a microsecond are missing because their places are handed over all the time.
  EXPECT_EQ(find(achieved(20, 50), FindingKind::kImbalance), nullptr);
  EXPECT_EQ(find(diagnose(RunBuilder().grid(10560).predicted().build()), FindingKind::kImbalance), nullptr);
}

}  // namespace
}  // namespace gpuprobe::diagnose
