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
  const Table table = sweep_table(family(), {{"tile", {"8", "16"}}}, rows);
  ASSERT_EQ(table.rows().size(), 3u);
  EXPECT_EQ(table.header().front(), "tile");
  EXPECT_EQ(table.rows()[0][0], "8");
  EXPECT_THAT(table.rows()[0], testing::Contains("1.0 TB/s"));
  EXPECT_THAT(table.rows()[0], testing::Contains("4.00"));
  EXPECT_EQ(table.rows()[1].back(), "dram-bound");
  EXPECT_EQ(table.rows()[2].back(), "failed: it broke");
  EXPECT_EQ(all_runs(rows).size(), 2u);
}

}  // namespace
}  // namespace gpuprobe::cli
