#include "report/draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "report/text/page.h"
#include "support/arbitrary_report.h"
#include "support/report_builder.h"

namespace gpuprobe::report {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

AccessDrawing shared(const LanePattern& pattern) {
  return {"k.cu", 7, "ld.shared.f32", AccessKind::kSharedLoad, pattern, {}};
}

AccessDrawing global(const LanePattern& pattern) {
  return {"k.cu", 7, "ld.global.f32", AccessKind::kGlobalLoad, pattern, {}};
}

TEST(Draw, ConflictFreeRowFillsEveryBank) {
  AccessDrawing drawing = shared(test::strided(132));  // a column of a tile padded to 33 words
  drawing.rounds = {{0, {}}};
  for (int lane = 0; lane < 32; ++lane) drawing.rounds[0].lanes.push_back(lane);
  const auto lines = draw_access(drawing, {});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "k.cu:7  shared.load, 4 B a lane: 1 round");
  EXPECT_EQ(lines[2], "round  1    0 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k l m n o p q r s t u v");
}

TEST(Draw, ThirtyTwoWayConflictIsSummarised) {
  AccessDrawing drawing = shared(test::strided(128));
  for (int lane = 0; lane < 32; ++lane) drawing.rounds.push_back({0, {lane}});
  const auto lines = draw_access(drawing, {});
  EXPECT_EQ(lines[0], "k.cu:7  shared.load, 4 B a lane: 32 rounds");
  EXPECT_THAT(lines[2], StartsWith("round  1    0 . . ."));
  EXPECT_THAT(lines[3], StartsWith("round  2    1 . . ."));
  EXPECT_THAT(lines.back(), HasSubstr("... 30 more rounds alike"));
  EXPECT_EQ(lines.size(), 5u);
}

TEST(Draw, BroadcastIsOneCellWithAPlus) {
  AccessDrawing drawing = shared(test::strided(0));
  drawing.rounds = {{0, {}}};
  for (int lane = 0; lane < 32; ++lane) drawing.rounds[0].lanes.push_back(lane);
  EXPECT_THAT(draw_access(drawing, {})[2], StartsWith("round  1    0+. ."));
}

TEST(Draw, WideAccessesShowTheirPhases) {
  AccessDrawing drawing = shared(test::strided(16, 16));
  for (int phase = 0; phase < 4; ++phase) {
    drawing.rounds.push_back({phase, {}});
    for (int lane = phase * 8; lane < phase * 8 + 8; ++lane) drawing.rounds.back().lanes.push_back(lane);
  }
  const auto lines = draw_access(drawing, {});
  EXPECT_THAT(lines[0], HasSubstr("4 rounds in 4 phases"));
  EXPECT_THAT(lines[2], HasSubstr("0 0 0 0 1 1 1 1 2 2 2 2"));
}

TEST(Draw, SectorsOfAContiguousAndAShiftedWarp) {
  EXPECT_EQ(draw_access(global(test::strided(4)), {})[0],
            "k.cu:7  global.load, 4 B a lane: 4 sectors in 1 line");
  LanePattern shifted = test::strided(4);
  for (auto& address : shifted.address) address += 4;
  const auto lines = draw_access(global(shifted), {});
  EXPECT_EQ(lines[0], "k.cu:7  global.load, 4 B a lane: 5 sectors in 2 lines");
  EXPECT_THAT(lines[2], HasSubstr("|.0123456|789abcde|fghijklm|nopqrstu|  4 of 4 sectors"));
  EXPECT_THAT(lines[3], HasSubstr("|v.......|........|........|........|  1 of 4 sectors"));
}

TEST(Draw, ManyLinesAreCounted) {
  const auto lines = draw_access(global(test::strided(16384)), {});
  EXPECT_THAT(lines[0], HasSubstr("32 sectors in 32 lines"));
  EXPECT_THAT(lines.back(), HasSubstr("25 more lines up to +507,904 B"));
}

TEST(Draw, InactiveLanesAreNotDrawn) {
  EXPECT_THAT(draw_access(global(test::strided(4, 4, 0xffffu)), {})[0], HasSubstr("2 sectors"));
  EXPECT_EQ(draw_access(global(test::strided(4, 4, 0)), {}).size(), 1u);
  EXPECT_EQ(draw_access(shared(test::strided(4)), {}).size(), 1u);  // no rounds are known
}

TEST(Draw, AnyAccessStaysWithinEightyColumns) {
  EXPECT_TRUE(rc::check("random patterns and rounds", [] {
    AccessDrawing drawing;
    drawing.file = "k.cu";
    drawing.line = 1;
    drawing.access = test::any<bool>() ? AccessKind::kSharedLoad : AccessKind::kGlobalStore;
    drawing.pattern = test::a_pattern();
    drawing.rounds = test::some(40, [] {
      return AccessDrawing::Round{*rc::gen::inRange(-1, 5),
                                  test::some(33, [] { return *rc::gen::inRange(-2, 40); })};
    });
    for (const std::string& line : draw_access(drawing, {})) RC_ASSERT(columns(line) <= 80);
  }));
}

TEST(Draw, OccupancyMarksEveryLimiter) {
  OccupancyTable table = test::sample_occupancy();
  table.limits[2].blocks = 2;
  table.limits[3].blocks = kUnlimitedBlocks;
  table.limiters = {Resource::kWarps, Resource::kRegisters};
  const auto lines = draw_occupancy(table, {});
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "warps           2  ## <- limit");
  EXPECT_EQ(lines[2], "registers       2  ## <- limit");
  EXPECT_EQ(lines[3], "shared     unused");
}

}  // namespace
}  // namespace gpuprobe::report
