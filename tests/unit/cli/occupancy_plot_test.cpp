#include "cli/occupancy_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/devices/devices.h"

namespace gpuprobe::cli {
namespace {

using testing::HasSubstr;

TEST(OccupancyPlot, EveryValueBelongsToOneLineAndTheCurrentOneIsMarked) {
  const DeviceSpec* device = device_for_arch("sm_90");
  ASSERT_NE(device, nullptr);
  const std::string plot = occupancy_plot(*device, {256, 64, 8192, 0, 1});
  EXPECT_THAT(plot,
              HasSubstr(">        225..256  ####################                         50 %  4 blocks"));
  EXPECT_THAT(plot,
              HasSubstr("            1..32  ########################################    100 %  8 blocks"));
  EXPECT_THAT(plot,
              HasSubstr(">          49..64  ####################                         50 %  4 blocks"));
  std::size_t marks = 0;
  for (std::size_t at = plot.find('>'); at != std::string::npos; at = plot.find('>', at + 1)) ++marks;
  EXPECT_EQ(marks, 3u);
}

TEST(OccupancyPlot, SharedMemoryStepsWhereTheCalculatorSteps) {
  const DeviceSpec* device = device_for_arch("sm_90");
  ASSERT_NE(device, nullptr);
  const std::string plot = occupancy_plot(*device, {256, 32, 0, 0, 1});
  // 228 KiB hold 8 blocks of up to 28160 + 1024 reserved bytes.
  ASSERT_EQ(occupancy::table(*device, {256, 32, 0, 28160, 1}, 0).blocks_per_sm, 8);
  ASSERT_EQ(occupancy::table(*device, {256, 32, 0, 28161, 1}, 0).blocks_per_sm, 7);
  EXPECT_THAT(plot, HasSubstr("0..28160"));
  EXPECT_THAT(plot, HasSubstr("28161..32256"));
}

}  // namespace
}  // namespace gpuprobe::cli
