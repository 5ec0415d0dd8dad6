#include "core/counters.h"

#include <gtest/gtest.h>

namespace gpuprobe {
namespace {

TEST(Counters, MissingNeverCountsAsANumber) {
  Counters counters;
  counters.set("a", {2.0, Unit::kSector, Origin::kMeasured, {}});
  counters.set_missing("b", "needs a GPU");
  counters.set("c", {std::string("registers"), Unit::kNone, Origin::kPredicted, {}});
  EXPECT_EQ(counters.number("a"), 2.0);
  EXPECT_EQ(counters.number("b"), std::nullopt);
  EXPECT_EQ(counters.missing_reason("b"), "needs a GPU");
  EXPECT_EQ(counters.number("c"), std::nullopt);
  EXPECT_EQ(counters.text("c"), "registers");
  EXPECT_EQ(counters.number("d"), std::nullopt);
  EXPECT_EQ(counters.missing_reason("d"), "not collected");
}

TEST(Counters, LaterValueReplacesMissing) {
  Counters counters;
  counters.set_missing("a", "why");
  counters.set("a", {1.0, Unit::kRequest, Origin::kMeasured, {"x"}});
  EXPECT_EQ(counters.number("a"), 1.0);
  EXPECT_EQ(counters.missing_reason("a"), "");
}

}  // namespace
}  // namespace gpuprobe
