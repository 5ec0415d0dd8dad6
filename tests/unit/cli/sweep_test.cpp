#include "cli/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpuprobe::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

KernelFamily family() {
  KernelFamily made;
  made.name = "planted";
  Parameter tile;
  tile.name = "tile";
  Parameter pad;
  pad.name = "pad";
  made.parameters = {tile, pad};
  return made;
}

TEST(Sweep, ExpandsInTheFamilysOrderLastFastest) {
  const auto all = expand(family(), {{"pad", {"0", "1"}}, {"tile", {"8", "16"}}});
  ASSERT_TRUE(all);
  std::vector<std::string> seen;
  for (const TypedValues& values : *all) seen.push_back(values.at("tile") + "/" + values.at("pad"));
  EXPECT_THAT(seen, ElementsAre("8/0", "8/1", "16/0", "16/1"));
}

TEST(Sweep, NothingSweptIsOneCombination) {
  const auto all = expand(family(), {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 1u);
}

TEST(Sweep, TooManyCombinationsAndEmptyListsAreUsageErrors) {
  const std::vector<std::string> many(200, "1");
  const auto all = expand(family(), {{"pad", many}, {"tile", many}});
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, ErrorCode::kUsage);
  EXPECT_FALSE(expand(family(), {{"pad", {}}}));
}

TEST(Sweep, TableHasOneLineARunAndNamesFailures) {
  DiagnosedRun good;
  good.run.source = Origin::kMeasured;
  good.run.useful_bytes = 1e9;
  good.run.counters.set("time.duration", {1e-3, Unit::kSecond, Origin::kMeasured, {}});
  good.run.counters.set("global.load.sectors_per_request",
                        {4.0, Unit::kSectorsPerRequest, Origin::kMeasured, {}});
  good.diagnosis.verdict.kind = "dram-bound";
  const std::vector<SweepRow> rows{{{{"tile", "8"}}, {good, good}, ""}, {{{"tile", "16"}}, {}, "it broke"}};
  const Table table = sweep_table(family(), {{"tile", {"8", "16"}}}, rows, *sweep_columns({}));
  ASSERT_EQ(table.rows().size(), 3u);
  EXPECT_EQ(table.header().front(), "tile");
  EXPECT_EQ(table.rows()[0][0], "8");
  EXPECT_THAT(table.rows()[0], testing::Contains("1.0 TB/s"));
  EXPECT_THAT(table.rows()[0], testing::Contains("4.00"));
  EXPECT_EQ(table.rows()[1].back(), "dram-bound");
  EXPECT_EQ(table.rows()[2].back(), "failed: it broke");
  EXPECT_EQ(all_runs(rows).size(), 2u);
}

std::string only_cell(const DiagnosedRun& one, const std::string& column) {
  const auto columns = sweep_columns({column});
  EXPECT_TRUE(columns) << columns.error().what;
  return columns->front().cell(one);
}

TEST(SweepColumns, AreRatesSharesAndMetrics) {
  DiagnosedRun one;
  one.run.useful_bytes = 2e9;
  one.run.useful_flops = 4e9;
  one.run.device.rates.dram_bytes_per_second = 4e12;
  one.run.device.rates.fp32_flops_per_second = 16e12;
  one.run.counters.set("time.duration", {1e-3, Unit::kSecond, Origin::kMeasured, {}});
  one.run.counters.set("global.load.requests", {524288.0, Unit::kRequest, Origin::kMeasured, {}});
  Site load;
  load.access = AccessKind::kGlobalLoad;
  load.requests = 1e6;
  load.active_lanes = 20;
  Site store = load;
  store.access = AccessKind::kGlobalStore;
  one.run.sites = {load, load, store};
  EXPECT_EQ(only_cell(one, "bandwidth"), "2.0 TB/s");
  EXPECT_EQ(only_cell(one, "bandwidth-share"), "50");
  EXPECT_EQ(only_cell(one, "flops"), "4.0 TFLOP/s");
  EXPECT_EQ(only_cell(one, "flops-share"), "25");
  EXPECT_EQ(only_cell(one, "flops-per-load"), "100");
  EXPECT_EQ(only_cell(one, "rate"), "4.0 TFLOP/s");
  EXPECT_EQ(only_cell(one, "global.load.requests"), "524,288");
  EXPECT_EQ(only_cell(one, "global.store.requests"), "-");
}

TEST(SweepColumns, WhatIsNotKnownIsADash) {
  const DiagnosedRun nothing;
  for (const std::string& name : column_names()) {
    if (name == "source" || name == "verdict") continue;
    EXPECT_EQ(only_cell(nothing, name), "-") << name;
  }
}

TEST(SweepColumns, UnknownNamesAreRefusedWithTheNearest) {
  const auto columns = sweep_columns({"time", "bandwith"});
  ASSERT_FALSE(columns);
  EXPECT_EQ(columns.error().code, ErrorCode::kUsage);
  EXPECT_THAT(columns.error().what, HasSubstr("did you mean 'bandwidth'"));
  EXPECT_THAT(columns.error().hint, HasSubstr("gpuprobe metrics"));
}

}  // namespace
}  // namespace gpuprobe::cli
