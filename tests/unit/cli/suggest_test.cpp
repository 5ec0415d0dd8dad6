#include "cli/suggest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace gpuprobe::cli {
namespace {

TEST(Suggest, FindsTheNearestName) {
  EXPECT_EQ(suggest("trnaspose", {"matmul", "transpose"}), "transpose");
  EXPECT_EQ(suggest("--tiel", {"--tile", "--pad"}), "--tile");
  EXPECT_EQ(suggest("trans", {"matmul", "transpose"}), "transpose");
}

TEST(Suggest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(suggest("zebra", {"matmul", "transpose"}), "");
  EXPECT_EQ(suggest("", {"a"}), "");
  EXPECT_EQ(suggest(std::string(100000, 'x'), {"matmul"}), "");
  EXPECT_EQ(did_you_mean("zebra", {"matmul"}), "");
  EXPECT_EQ(did_you_mean("matmull", {"matmul"}), "; did you mean 'matmul'?");
}

TEST(EditDistance, CountsASwapAsOneEdit) {
  EXPECT_EQ(edit_distance("tiel", "tile"), 1);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

RC_GTEST_PROP(EditDistance, IsSymmetricAndBoundedByTheLongerWord, (std::string a, std::string b)) {
  const int distance = edit_distance(a, b);
  RC_ASSERT(distance == edit_distance(b, a));
  RC_ASSERT(distance <= static_cast<int>(std::max(a.size(), b.size())));
  RC_ASSERT((distance == 0) == (a == b));
}

}  // namespace
}  // namespace gpuprobe::cli
