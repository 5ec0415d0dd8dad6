#include "metrics/catalog.h"

#include <gtest/gtest.h>

#include <set>

namespace gpuprobe {
namespace {

Value measured(double number, Unit unit, std::vector<std::string> counters = {}) {
  return {number, unit, Origin::kMeasured, std::move(counters)};
}

Site site(AccessKind access, double requests, double actual, double ideal) {
  Site result;
  result.access = access;
  result.requests = requests;
  result.actual = actual;
  result.ideal = ideal;
  return result;
}

TEST(Catalog, NamesAreUniqueAndEveryRowSaysWhatItMeans) {
  std::set<std::string> names;
  for (const MetricRow& row : metric_catalog()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_EQ(row.kind == MetricRow::Kind::kCounter, !row.bindings.empty()) << row.name;
    EXPECT_EQ(find_metric(row.name), &row);
  }
  EXPECT_EQ(find_metric("global.load"), nullptr);
  EXPECT_EQ(find_metric(""), nullptr);
}

TEST(Catalog, HasEveryMetricOfTheContract) {
  for (const char* op : {"load", "store"}) {
    for (const char* what : {"requests", "sectors", "ideal_sectors", "sectors_per_request",
                             "ideal_sectors_per_request", "efficiency"})
      EXPECT_NE(find_metric(std::string("global.") + op + "." + what), nullptr) << op << what;
    EXPECT_NE(find_metric(std::string("local.") + op + ".requests"), nullptr);
    EXPECT_NE(find_metric(std::string("local.") + op + ".sectors"), nullptr);
    EXPECT_NE(find_metric(std::string("shared.conflicts_hw.") + op), nullptr);
  }
  for (const char* op : {"load", "store", "atomic"})
    for (const char* what : {"requests", "wavefronts", "ideal_wavefronts", "excess_wavefronts",
                             "wavefronts_per_request", "conflict_degree"})
      EXPECT_NE(find_metric(std::string("shared.") + op + "." + what), nullptr) << op << what;
  for (const char* name : {"occupancy.theoretical", "occupancy.achieved", "occupancy.limiter",
                           "occupancy.blocks_per_sm", "occupancy.blocks_per_sm.registers", "launch.registers",
                           "launch.shared_static", "launch.shared_dynamic", "launch.waves", "time.duration",
                           "dram.read_bytes", "dram.write_bytes", "dram.utilization", "l2.utilization",
                           "l1.utilization", "issue.utilization", "warps.eligible", "stall.long_scoreboard"})
    EXPECT_NE(find_metric(name), nullptr) << name;
}

TEST(Catalog, DerivedRowsNameRowsThatExist) {
  for (const MetricRow& row : metric_catalog()) {
    if (row.kind != MetricRow::Kind::kRatio) continue;
    EXPECT_NE(find_metric(row.numerator), nullptr) << row.name;
    EXPECT_NE(find_metric(row.denominator), nullptr) << row.name;
  }
  for (const MetricRow& row : metric_catalog()) {
    EXPECT_EQ(row.kind == MetricRow::Kind::kLargest, !row.parts.empty()) << row.name;
    for (const std::string& part : row.parts) EXPECT_NE(find_metric(part), nullptr) << part;
  }
}

TEST(Catalog, PicksTheCounterOfTheChip) {
  const MetricRow* row = find_metric("dram.read_bytes");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(binding_for(*row, "gh100")->counter, "dram__bytes_read.sum");
  EXPECT_EQ(binding_for(*row, "GH100")->counter, "dram__bytes_read.sum");
  EXPECT_EQ(binding_for(*row, "gb202")->counter, "dram__bytes_op_read.sum");
  EXPECT_EQ(binding_for(*row, "ga10b"), nullptr) << "shares the host's memory";
  EXPECT_EQ(binding_for(*row, "gh1000"), nullptr) << "an unknown chip is never taken for another";
}

TEST(DeriveRatios, DividesAndScales) {
  Counters counters;
  counters.set("global.load.requests", measured(524288, Unit::kRequest, {"requests"}));
  counters.set("global.load.sectors", measured(16777216, Unit::kSector, {"sectors"}));
  counters.set("global.load.ideal_sectors", measured(2097152, Unit::kSector));
  derive_ratios(counters);
  EXPECT_EQ(counters.number("global.load.sectors_per_request"), 32.0);
  EXPECT_EQ(counters.number("global.load.ideal_sectors_per_request"), 4.0);
  EXPECT_EQ(counters.number("global.load.efficiency"), 12.5);
  EXPECT_EQ(counters.value("global.load.sectors_per_request")->counters,
            (std::vector<std::string>{"sectors", "requests"}));
}

TEST(DeriveRatios, AMissingPartGivesItsReasonAndAZeroDenominatorAnother) {
  Counters counters;
  counters.set("global.store.requests", measured(0, Unit::kRequest));
  counters.set("global.store.sectors", measured(0, Unit::kSector));
  counters.set_missing("global.load.sectors", "not on this chip");
  derive_ratios(counters);
  EXPECT_FALSE(counters.number("global.load.sectors_per_request"));
  EXPECT_EQ(counters.missing_reason("global.load.sectors_per_request"), "not on this chip");
  EXPECT_EQ(counters.missing_reason("global.store.sectors_per_request"), "no global.store.requests");
}

TEST(DeriveRatios, KeepsARecordedRatioWhosePartsWereNotRecorded) {
  Counters counters;
  counters.set("global.load.sectors_per_request", {5.0, Unit::kSectorsPerRequest, Origin::kRecorded, {}});
  derive_ratios(counters);
  EXPECT_EQ(counters.number("global.load.sectors_per_request"), 5.0);
}

TEST(DeriveLargest, TakesTheBusiestStageAndItsCounter) {
  Counters counters;
  counters.set("lsu.utilization", measured(30, Unit::kPercent, {"data stage"}));
  counters.set("l1.request_utilization", measured(52, Unit::kPercent, {"to L2"}));
  counters.set_missing("l2.tag_utilization", "not on this chip");
  derive_largest(counters);
  EXPECT_EQ(counters.number("l1.utilization"), 52);
  EXPECT_EQ(counters.value("l1.utilization")->counters, std::vector<std::string>{"to L2"});
  EXPECT_FALSE(counters.find("l2.utilization")) << "no stage has a value";
}

TEST(DeriveLargest, KeepsWhatIsThere) {
  Counters counters;
  counters.set("lsu.utilization", measured(30, Unit::kPercent));
  counters.set("l1.utilization", {40.0, Unit::kPercent, Origin::kRecorded, {}});
  derive_largest(counters);
  EXPECT_EQ(counters.number("l1.utilization"), 40);
}

TEST(SumSites, AddsUpEachAccessKindAndLeavesWhatIsThere) {
  Counters counters;
  counters.set("shared.load.wavefronts", measured(999, Unit::kWavefront));
  sum_sites(counters,
            {site(AccessKind::kSharedLoad, 10, 320, 10), site(AccessKind::kSharedLoad, 5, 5, 5),
             site(AccessKind::kGlobalStore, 7, 224, 28), site(AccessKind::kGlobalAtomic, 3, 96, 3)},
            Origin::kPredicted, "");
  EXPECT_EQ(counters.number("shared.load.wavefronts"), 999);
  EXPECT_EQ(counters.number("shared.load.requests"), 15);
  EXPECT_EQ(counters.number("shared.load.ideal_wavefronts"), 15);
  EXPECT_EQ(counters.number("shared.load.excess_wavefronts"), 310);
  EXPECT_EQ(counters.number("global.store.sectors"), 224);
  EXPECT_EQ(counters.number("global.store.ideal_sectors"), 28);
  EXPECT_EQ(counters.number("global.atomic.requests"), 3);
  EXPECT_EQ(counters.number("global.load.requests"), 0);
  EXPECT_EQ(counters.value("global.store.sectors")->unit, Unit::kSector);
  EXPECT_FALSE(counters.find("global.load.unique_bytes")) << "not a sum over sites";
}

TEST(SumSites, WithoutSitesAMeasurementIsMissingAndAPredictionIsZero) {
  Counters missing;
  sum_sites(missing, {}, Origin::kMeasured, "no line counts");
  EXPECT_EQ(missing.missing_reason("shared.load.ideal_wavefronts"), "no line counts");
  Counters zero;
  sum_sites(zero, {}, Origin::kPredicted, "");
  EXPECT_EQ(zero.number("shared.load.ideal_wavefronts"), 0);
}

}  // namespace
}  // namespace gpuprobe
