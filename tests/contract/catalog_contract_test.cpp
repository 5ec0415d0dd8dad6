// The catalog against the CUPTI Profiler Host: every row exists on every chip that it claims, on no chip that
// it leaves out, with the dimension that its unit says, and all rows together need no more passes than
// stated. Skips where CUPTI is not installed; GPUPROBE_REQUIRE_CUPTI=1 makes that a failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "metrics/catalog.h"
#include "metrics/cupti/cupti_api.h"
#include "metrics/cupti/profiler_host.h"

namespace gpuprobe {
namespace {

/// CUPTI's dimensions that a value in `unit` may have.
std::vector<std::string> dimensions_of(Unit unit) {
  switch (unit) {
    case Unit::kRequest:
      return {"l1tex_request", "instruction"};
    case Unit::kSector:
      return {"l1tex_sector", "l2_sector", "sector"};
    case Unit::kWavefront:
      return {"l1tex_wavefront", "l1data_bank_conflict"};
    case Unit::kPercent:
      return {"percent"};
    case Unit::kByte:
      return {"byte"};
    case Unit::kInstruction:
      return {"instruction"};
    case Unit::kWarp:
      return {"warp"};
    case Unit::kSecond:
      return {"nanosecond"};
    default:
      return {};
  }
}

class CatalogOnChip : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto api = cupti::cupti_api();
    if (!api) {
      if (std::getenv("GPUPROBE_REQUIRE_CUPTI")) FAIL() << api.error().what;
      GTEST_SKIP() << api.error().what;
    }
    api_ = *api;
    auto chips = cupti::supported_chips(*api_);
    ASSERT_TRUE(chips) << chips.error().what;
    if (std::find(chips->begin(), chips->end(), GetParam()) == chips->end())
      GTEST_SKIP() << "CUPTI at " << cupti::cupti_path() << " does not know " << GetParam();
  }

  const cupti::CuptiApi* api_ = nullptr;
};

TEST_P(CatalogOnChip, EveryCounterExistsWithItsDimension) {
  auto host = cupti::ProfilerHost::open(*api_, GetParam());
  ASSERT_TRUE(host) << host.error().what;
  for (const MetricRow& row : metric_catalog()) {
    if (row.kind != MetricRow::Kind::kCounter) continue;
    const CounterBinding* binding = binding_for(row, GetParam());
    if (!binding) continue;
    auto properties = host->properties(binding->counter);
    ASSERT_TRUE(properties) << row.name << ": " << properties.error().what;
    EXPECT_THAT(dimensions_of(row.unit), testing::Contains(properties->dimension))
        << row.name << " has unit " << to_string(row.unit) << ", measured by " << binding->counter;
  }
}

TEST_P(CatalogOnChip, NoCounterIsLeftOutThatTheChipHas) {
  auto host = cupti::ProfilerHost::open(*api_, GetParam());
  ASSERT_TRUE(host) << host.error().what;
  for (const MetricRow& row : metric_catalog()) {
    if (binding_for(row, GetParam())) continue;
    for (const CounterBinding& binding : row.bindings)
      EXPECT_FALSE(host->properties(binding.counter)) << row.name << " could be had from " << binding.counter;
  }
}

TEST_P(CatalogOnChip, AllTogetherNeedNoMorePassesThanStated) {
  auto host = cupti::ProfilerHost::open(*api_, GetParam());
  ASSERT_TRUE(host) << host.error().what;
  std::vector<std::string> counters;
  for (const MetricRow& row : metric_catalog())
    if (const CounterBinding* binding = binding_for(row, GetParam())) counters.push_back(binding->counter);
  ASSERT_GT(counters.size(), 30U);
  auto config = host->config_image(counters);
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_GE(config->passes, 1U);
  EXPECT_LE(config->passes, static_cast<std::size_t>(kMaxPasses));
  RecordProperty("passes", static_cast<int>(config->passes));
}

INSTANTIATE_TEST_SUITE_P(AllChips, CatalogOnChip, testing::ValuesIn(catalog_chips()),
                         [](const auto& instance) { return instance.param; });

TEST(CatalogChips, AreAllThatThisCuptiKnowsFromTuringOn) {
  auto api = cupti::cupti_api();
  if (!api && std::getenv("GPUPROBE_REQUIRE_CUPTI")) FAIL() << api.error().what;
  if (!api) GTEST_SKIP() << api.error().what;
  std::uint32_t version = 0;
  (*api)->GetVersion(&version);
  if (cupti::cuda_version_of_cupti(version) != 13000)
    GTEST_SKIP() << "the list is that of CUPTI 13.0, this is " << cupti::cupti_version_text(version);
  auto chips = cupti::supported_chips(**api);
  ASSERT_TRUE(chips) << chips.error().what;
  std::erase_if(*chips,
                [](const std::string& chip) { return chip.rfind("gv", 0) == 0; });  // Volta, 7.0 and 7.2
  auto ours = catalog_chips();
  std::sort(chips->begin(), chips->end());
  std::sort(ours.begin(), ours.end());
  EXPECT_EQ(ours, *chips);
}

TEST(ProfilerHost, NamesAnUnknownCounterAndAnUnknownChip) {
  auto api = cupti::cupti_api();
  if (!api && std::getenv("GPUPROBE_REQUIRE_CUPTI")) FAIL() << api.error().what;
  if (!api) GTEST_SKIP() << api.error().what;
  auto host = cupti::ProfilerHost::open(**api, "gh100");
  ASSERT_TRUE(host) << host.error().what;
  auto config = host->config_image({"smsp__inst_executed.sum", "smsp__nonsense.sum"});
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().what.find("smsp__nonsense.sum"), std::string::npos) << config.error().what;
  auto unknown = cupti::ProfilerHost::open(**api, "zz999");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kMachine);
}

}  // namespace
}  // namespace gpuprobe
