// Where diverged lanes meet, for control flow as compilers write it.
#include "model/ptx/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "unit/ptx/fixtures.h"

namespace gpuprobe::ptx {
namespace {

using ::testing::ElementsAre;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

struct Case {
  Function function;
  Flow flow;
  int label(const std::string& name) const { return function.labels.at(name); }
  int size() const { return static_cast<int>(function.body.size()); }
  /// Where the branch (or other instruction) just before the label or at the index meets.
  int meet(int i) const { return flow.reconvergence.at(at(i)); }
};

Case analysed(const std::string& text, const std::string& header = ".entry k()") {
  const auto module = parse(".version 8.0\n.target sm_80\n.address_size 64\n" + header +
                            "{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n" + text + "\n}\n");
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().what);
  if (!module) return {};
  const auto& function = module->functions.front();
  return {function, analyse(function)};
}

// Runs one warp whose lanes decide by their own coins: lane i takes the branch at pc if bit (pc % 32) of
// coins[i] is set. Returns, per instruction, how many groups of lanes executed it. Loops must end by
// themselves.
std::vector<int> run_by_position(const Case& c, const std::vector<std::uint32_t>& coins) {
  struct Lane {
    int pc = 0;
    int queue = 0;
  };
  std::vector<Lane> lanes(coins.size(), {0, c.flow.position[0]});
  std::vector<int> runs(c.function.body.size(), 0);
  for (int step = 0; step < 100000; ++step) {
    const auto first = std::min_element(lanes.begin(), lanes.end(),
                                        [](const Lane& a, const Lane& b) { return a.queue < b.queue; });
    const Lane now = *first;
    if (now.pc == c.size()) return runs;
    ++runs[at(now.pc)];
    const auto& instruction = c.function.body[at(now.pc)];
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i].pc != now.pc || lanes[i].queue != now.queue) continue;
      const bool taken = instruction.guard < 0 || ((coins[i] >> (now.pc % 32)) & 1) != 0;
      int next = now.pc + 1;
      if (taken && instruction.opcode == "bra") next = instruction.operands[0].target;
      if (taken && (instruction.opcode == "ret" || instruction.opcode == "trap")) next = c.size();
      lanes[i] = {next, next == c.size() ? c.flow.position[at(next)] : c.flow.queue_position(now.pc, next)};
    }
  }
  ADD_FAILURE() << "the lanes do not come to an end";
  return runs;
}

TEST(Flow, of_an_empty_function) {
  const auto c = analysed("");
  EXPECT_TRUE(c.flow.blocks.empty());
  EXPECT_TRUE(c.flow.reconvergence.empty());
  EXPECT_THAT(c.flow.position, ElementsAre(0));
}

TEST(Flow, goes_straight_on_without_branches) {
  const auto c = analysed("bar.sync 0; bar.sync 0; ret;");
  EXPECT_THAT(c.flow.reconvergence, ElementsAre(1, 2, 3));
  EXPECT_THAT(c.flow.position, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(c.flow.block_of, ElementsAre(0, 0, 0));
}

TEST(Flow, meets_behind_if_else) {
  const auto c = analysed("@%p1 bra ELSE; bar.sync 0; bra JOIN; ELSE: bar.sync 1; JOIN: bar.sync 2; ret;");
  EXPECT_EQ(c.meet(0), c.label("JOIN"));
  EXPECT_EQ(c.flow.blocks.size(), 4U);
  EXPECT_THAT(c.flow.blocks[0].successors, ElementsAre(1, 2));
}

TEST(Flow, meets_behind_a_loop) {
  const auto c = analysed("LOOP: bar.sync 0; @%p1 bra LOOP; bar.sync 1; ret;");
  EXPECT_EQ(c.meet(1), 2);
  EXPECT_GT(c.flow.loop_end[0], c.flow.position[1]);
  EXPECT_LT(c.flow.loop_end[0], c.flow.position[2]);
  EXPECT_EQ(c.flow.queue_position(1, 0), c.flow.loop_end[0]);
  EXPECT_EQ(c.flow.queue_position(1, 2), c.flow.position[2]);
}

TEST(Flow, meets_behind_a_break_and_a_continue) {
  const auto c = analysed(R"(
    LOOP: @%p1 bra NEXT;      // continue
          @%p2 bra END;       // break
          bar.sync 0;
    NEXT: @%p3 bra LOOP;
    END:  bar.sync 1; ret;)");
  EXPECT_EQ(c.meet(0), c.label("END"));  // it may meet at NEXT or leave by the break
  EXPECT_EQ(c.meet(1), c.label("END"));
  EXPECT_EQ(c.meet(3), c.label("END"));
  // lane 0 continues, lane 1 does not, neither breaks: they go through NEXT together
  const auto runs = run_by_position(c, {0b0001, 0b0000});
  EXPECT_EQ(runs[at(c.label("NEXT"))], 1);
}

TEST(Flow, meets_behind_a_jump_table) {
  const auto c = analysed(R"(
    T: .branchtargets A, B, C;
       brx.idx %r1, T;
    A: bar.sync 0; bra END;
    B: bar.sync 1; bra END;
    C: bar.sync 2;
    END: bar.sync 3; ret;)");
  EXPECT_EQ(c.meet(0), c.label("END"));
  EXPECT_THAT(c.flow.blocks[0].successors, ElementsAre(1, 2, 3));
}

TEST(Flow, does_not_wait_for_lanes_that_only_leave) {
  const std::string text = R"(
    @%p1 bra AFTER;
    @%p2 bra OUT;
    bar.sync 0;
    AFTER: bar.sync 1;
    OUT: ret;)";
  for (const std::string header : {".entry k()", ".func f()"}) {
    const auto c = analysed(text, header);
    EXPECT_EQ(c.meet(0), c.label("AFTER"));
    EXPECT_EQ(c.meet(1), 2);
    EXPECT_EQ(run_by_position(c, {0b01, 0b10, 0b00})[at(c.label("AFTER"))], 1);
  }
}

TEST(Flow, takes_a_guarded_exit_for_a_branch_that_leaves) {
  const auto c = analysed("@%p1 bra AFTER; @%p2 exit; bar.sync 0; AFTER: bar.sync 1; @!%p3 trap; ret;");
  EXPECT_EQ(c.meet(0), c.label("AFTER"));
  EXPECT_EQ(c.meet(1), 2);
}

TEST(Flow, meets_at_the_end_if_both_sides_leave) {
  const auto c = analysed("@%p1 bra B; bar.sync 0; ret; B: bar.sync 1; exit;");
  EXPECT_EQ(c.meet(0), c.size());
  const auto both = analysed("@%p1 bra B; ret; B: ret;");
  EXPECT_EQ(both.meet(0), both.size());
}

// The three measured on an H200: __activemask() at Y is all lanes but those that left early or jumped past
// it.
TEST(Flow, lanes_meet_where_an_h200_brings_them_together) {
  const std::vector<std::uint32_t> coins = {0b01, 0b10, 0b00};  // not in; in, and leaves; in, and stays
  for (const std::string text :
       {"@%p1 bra Y; @%p2 bra R; bar.sync 0; Y: bar.sync 1; ret; R: bar.sync 2; ret;",  // leaves with work
        "@%p1 bra Y; @%p2 bra Z; bar.sync 0; Y: bar.sync 1; Z: bar.sync 2; ret;",       // goto past Y
        "@%p1 bra Y; @%p2 bra R; bar.sync 0; bra Y; R: bar.sync 2; ret; Y: bar.sync 1; ret;"}) {
    const auto c = analysed(text);
    EXPECT_EQ(run_by_position(c, coins)[at(c.label("Y"))], 1) << text;
  }
  const auto c = analysed("@%p1 bra Y; @%p2 bra Z; bar.sync 0; Y: bar.sync 1; Z: bar.sync 2; ret;");
  EXPECT_EQ(run_by_position(c, coins)[at(c.label("Z"))], 1);
  EXPECT_EQ(c.meet(0), c.label("Z"));  // what the post-dominator alone would say
}

TEST(Flow, finishes_an_iteration_before_the_next) {
  // Two jumps close the loop: the lane that continues early must not run ahead of the one with work to do.
  const auto c = analysed("LOOP: @%p1 bra LOOP; bar.sync 0; @%p2 bra LOOP; ret;");
  EXPECT_EQ(c.flow.queue_position(0, 0), c.flow.loop_end[0]);
  EXPECT_EQ(c.flow.queue_position(2, 0), c.flow.loop_end[0]);
}

TEST(Flow, of_loops_without_an_exit_and_of_unreachable_code) {
  const auto endless = analysed("LOOP: @%p1 bra ELSE; bar.sync 0; ELSE: bar.sync 1; bra LOOP;");
  EXPECT_EQ(endless.meet(0), endless.label("ELSE"));
  const auto leaves = analysed("LOOP: @%p1 bra ELSE; bar.sync 0; ELSE: bar.sync 1; @%p2 ret; bra LOOP;");
  EXPECT_EQ(leaves.meet(0), leaves.label("ELSE"));
  const auto dead = analysed("bra END; DEAD: @%p1 bra OTHER; bar.sync 0; OTHER: bra DEAD; END: ret;");
  EXPECT_EQ(dead.meet(1), dead.label("OTHER"));
  EXPECT_EQ(dead.flow.blocks.size(), 5U);
  const auto self = analysed("SELF: bra SELF;");
  EXPECT_EQ(self.meet(0), self.size());
  const auto trailing = analysed("@%p1 bra END; bar.sync 0; END:");
  EXPECT_EQ(trailing.meet(0), 1);  // to jump to the end is to leave
}

TEST(Flow, of_fixtures_is_consistent) {
  for (const auto& name : fixture_names())
    for (const auto& function : fixture(name).functions) {
      const auto flow = analyse(function);
      ASSERT_EQ(flow.reconvergence.size(), function.body.size());
      const int size = static_cast<int>(function.body.size());
      std::set<int> positions(flow.position.begin(), flow.position.end());
      EXPECT_EQ(positions.size(), function.body.size() + 1);
      for (const auto& block : flow.blocks) {
        const int last = block.end - 1;
        for (int next : block.successors) {
          const int to = at(next) < flow.blocks.size() ? flow.blocks[at(next)].begin : size;
          EXPECT_GT(flow.queue_position(last, to), flow.position[at(last)]) << name << " " << function.name;
        }
      }
    }
}

TEST(Flow, of_an_early_return_in_a_real_kernel) {
  const auto* function = fixture("control.sm_75.ptx").find("early_return");
  ASSERT_NE(function, nullptr);
  const auto flow = analyse(*function);
  std::vector<int> meets;
  int store = 0;
  for (std::size_t i = 0; i < function->body.size(); ++i) {
    if (function->body[i].opcode == "bra" && function->body[i].guard >= 0)
      meets.push_back(flow.reconvergence[i]);
    if (function->body[i].opcode == "st") store = static_cast<int>(i);
  }
  ASSERT_GE(meets.size(), 3U);
  EXPECT_EQ(flow.block_of[at(meets[0])],
            flow.block_of[at(store)]);  // `if (in[i] > 0)` meets at the store ...
  EXPECT_LT(meets[1], store);           // ... and the return inside keeps nobody waiting
}

}  // namespace
}  // namespace gpuprobe::ptx
