#include "cli/mismatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/attribution.h"

namespace gpuprobe::cli {
namespace {

DiagnosedRun with_counts(double sectors, double wavefronts_per_request, double wavefronts) {
  DiagnosedRun one;
  one.run.counters.set("global.load.sectors", {sectors, Unit::kSector, Origin::kMeasured, {}});
  one.run.counters.set("shared.load.wavefronts", {wavefronts, Unit::kWavefront, Origin::kMeasured, {}});
  one.run.counters.set("shared.load.wavefronts_per_request",
                       {wavefronts_per_request, Unit::kWavefrontsPerRequest, Origin::kMeasured, {}});
  one.run.counters.set_missing("global.store.sectors", "busy");
  return one;
}

TEST(Mismatch, EqualCountsAreNoFinding) {
  DiagnosedRun measured = with_counts(2097152, 32, 16777216);
  add_mismatches(measured, with_counts(2097152, 32, 16777216).run);
  EXPECT_TRUE(measured.diagnosis.findings.empty());
}

TEST(Mismatch, OneSectorMoreIsAFinding) {
  DiagnosedRun measured = with_counts(2097153, 32, 16777216);
  add_mismatches(measured, with_counts(2097152, 32, 16777216).run);
  ASSERT_EQ(measured.diagnosis.findings.size(), 1u);
  EXPECT_EQ(measured.diagnosis.findings[0].kind, FindingKind::kPredictionMismatch);
  EXPECT_THAT(measured.diagnosis.findings[0].text, testing::HasSubstr("2097153"));
}

TEST(Mismatch, WavefrontsAreComparedPerRequestBecauseTheAssemblerMergesLoads) {
  DiagnosedRun measured = with_counts(8, 2, 100);
  add_mismatches(measured, with_counts(8, 2, 400).run);
  EXPECT_TRUE(measured.diagnosis.findings.empty());
  add_mismatches(measured, with_counts(8, 1, 100).run);
  EXPECT_EQ(measured.diagnosis.findings.size(), 1u);
}

TEST(Mismatch, SectorsOfAtomicsAreCountedOtherwiseByAPrediction) {
  DiagnosedRun measured = with_counts(8, 2, 100), predicted = with_counts(8, 2, 100);
  measured.run.counters.set("global.atomic.sectors", {4.0, Unit::kSector, Origin::kMeasured, {}});
  predicted.run.counters.set("global.atomic.sectors", {128.0, Unit::kSector, Origin::kPredicted, {}});
  add_mismatches(measured, predicted.run);
  EXPECT_TRUE(measured.diagnosis.findings.empty());
  measured.run.counters.set("global.atomic.requests", {4.0, Unit::kRequest, Origin::kMeasured, {}});
  predicted.run.counters.set("global.atomic.requests", {5.0, Unit::kRequest, Origin::kPredicted, {}});
  add_mismatches(measured, predicted.run);
  EXPECT_EQ(measured.diagnosis.findings.size(), 1u);
}

Site site_at(int line, AccessKind access, std::uint32_t width, std::uint64_t marker) {
  Site site;
  site.file = "k.cu";
  site.line = line;
  site.access = access;
  site.width = width;
  if (marker) {
    site.worst = LanePattern{};
    site.worst->address[0] = marker;
  }
  return site;
}

TEST(Attribution, TakesAddressesFromTheSameLineAndAccess) {
  gpuprobe::Run measured;
  measured.sites = {site_at(5, AccessKind::kSharedLoad, 4, 0), site_at(6, AccessKind::kSharedLoad, 4, 0),
                    site_at(7, AccessKind::kSharedLoad, 4, 99), site_at(0, AccessKind::kSharedLoad, 4, 0)};
  gpuprobe::Run predicted;
  predicted.sites = {site_at(5, AccessKind::kSharedStore, 4, 1), site_at(5, AccessKind::kSharedLoad, 8, 2),
                     site_at(5, AccessKind::kSharedLoad, 4, 3), site_at(7, AccessKind::kSharedLoad, 4, 4),
                     site_at(0, AccessKind::kSharedLoad, 4, 5)};
  attach_addresses(measured, predicted);
  ASSERT_TRUE(measured.sites[0].worst);
  EXPECT_EQ(measured.sites[0].worst->address[0], 3u);
  EXPECT_FALSE(measured.sites[1].worst);
  EXPECT_EQ(measured.sites[2].worst->address[0], 99u);  // its own is kept
  EXPECT_FALSE(measured.sites[3].worst);                // no line: nothing to go by
}

TEST(Attribution, TheOnlyAccessOfItsKindIsFoundAtAnotherLineToo) {
  gpuprobe::Run measured;
  gpuprobe::Run predicted;
  measured.sites = {site_at(30, AccessKind::kGlobalAtomic, 4, 0), site_at(22, AccessKind::kGlobalLoad, 4, 0)};
  predicted.sites = {site_at(24, AccessKind::kGlobalAtomic, 4, 7),
                     site_at(22, AccessKind::kGlobalLoad, 4, 1)};
  predicted.sites[0].same_address_lanes = 4.8;
  attach_addresses(measured, predicted);
  EXPECT_EQ(measured.sites[0].line, 24);
  EXPECT_EQ(measured.sites[0].same_address_lanes, 4.8);
  EXPECT_TRUE(measured.sites[0].worst);
}

TEST(Attribution, OfTwoAccessesAtOtherLinesNoneIsGuessed) {
  gpuprobe::Run measured;
  gpuprobe::Run predicted;
  measured.sites = {site_at(30, AccessKind::kGlobalAtomic, 4, 0)};
  predicted.sites = {site_at(24, AccessKind::kGlobalAtomic, 4, 7),
                     site_at(25, AccessKind::kGlobalAtomic, 4, 8)};
  attach_addresses(measured, predicted);
  EXPECT_EQ(measured.sites[0].line, 30);
  EXPECT_FALSE(measured.sites[0].worst);
  predicted.sites.pop_back();
  measured.sites.push_back(site_at(31, AccessKind::kGlobalAtomic, 4, 0));
  attach_addresses(measured, predicted);
  EXPECT_FALSE(measured.sites[0].worst);
  EXPECT_FALSE(measured.sites[1].worst);
}

TEST(Attribution, SplitsTheExcessAsThePredictionDoesWhereTheCountsAgree) {
  gpuprobe::Run measured;
  gpuprobe::Run predicted;
  measured.sites = {site_at(5, AccessKind::kGlobalLoad, 4, 0), site_at(6, AccessKind::kGlobalLoad, 4, 0)};
  predicted.sites = {site_at(5, AccessKind::kGlobalLoad, 4, 1), site_at(6, AccessKind::kGlobalLoad, 4, 1)};
  for (Site& site : predicted.sites) {
    site.requests = 100;
    site.actual = 500;
    site.misaligned_excess = 100;
    site.lines = 200;
  }
  for (Site& site : measured.sites) site.requests = 1000;
  measured.sites[0].actual = 5000;
  measured.sites[1].actual = 9000;  // the GPU counted something else: nothing is taken over but the drawing
  attach_addresses(measured, predicted);
  EXPECT_EQ(measured.sites[0].misaligned_excess, 1000);
  EXPECT_EQ(measured.sites[0].lines, 2000);
  EXPECT_EQ(measured.sites[1].misaligned_excess, 0);
  EXPECT_TRUE(measured.sites[1].worst);
}

}  // namespace
}  // namespace gpuprobe::cli
