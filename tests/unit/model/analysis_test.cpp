// The static analyses of PTX on small functions with known answers: alignment, merging of shared loads,
// dependence on data; and the boxes of blocks.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "model/prediction/alignment.h"
#include "model/prediction/block_box.h"
#include "model/prediction/combined_increments.h"
#include "model/prediction/dependence.h"
#include "model/prediction/load_merging.h"
#include "model/ptx/parser.h"

namespace gpuprobe::prediction {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ptx::Module module_of(const std::string& body) {
  const std::string text = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1, .param .u32 k_param_2)\n{{\n"
      ".reg .pred %p<9>;\n.reg .f32 %f<40>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n"
      ".shared .align 4 .b8 tile[4096];\n{}\nret;\n}}\n",
      body);
  auto module = ptx::parse(text);
  if (!module) throw std::runtime_error(module.error().what);
  return *module;
}

int register_named(const ptx::Function& function, const std::string& name) {
  for (std::size_t i = 0; i < function.registers.size(); ++i)
    if (function.registers[i].name == name) return static_cast<int>(i);
  throw std::runtime_error("no register " + name);
}

int zeros_of(const std::string& body, const std::string& name) {
  const ptx::Module module = module_of(body);
  const ptx::Function& function = *module.find("k");
  return trailing_zeros(module, function)[static_cast<std::size_t>(register_named(function, name))];
}

TEST(Alignment, FollowsArithmetic) {
  EXPECT_EQ(zeros_of("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 5;", "%r1"), 0);
  EXPECT_EQ(zeros_of("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 5;", "%r2"), 5);
  EXPECT_EQ(zeros_of("mov.u32 %r1, %tid.x;\nmul.wide.s32 %rd1, %r1, 132;", "%rd1"), 2);
  EXPECT_EQ(zeros_of("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\nadd.s32 %r3, %r2, 8;", "%r3"), 3);
  EXPECT_EQ(zeros_of("mov.u32 %r1, %tid.x;\nmad.lo.s32 %r2, %r1, 64, 32;", "%r2"), 5);
  EXPECT_EQ(zeros_of("mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, -16;", "%r2"), 4);
  EXPECT_EQ(zeros_of("mov.u64 %rd1, tile;\nadd.s64 %rd2, %rd1, 4;", "%rd2"), 2);
  EXPECT_GE(zeros_of("mov.u64 %rd1, tile;", "%rd1"), 4);
  EXPECT_EQ(zeros_of("ld.param.u32 %r1, [k_param_2];", "%r1"), 0);
}

TEST(Alignment, TakesTheWorstOfALoop) {
  const char* body =
      "mov.u32 %r1, 0;\n"
      "LOOP:\n"
      "add.s32 %r1, %r1, 24;\n"
      "setp.lt.s32 %p1, %r1, 1000;\n"
      "@%p1 bra LOOP;";
  EXPECT_EQ(zeros_of(body, "%r1"), 3);
}

std::vector<MergedLoad> merged_in(const std::string& body) {
  const ptx::Module module = module_of(body);
  return merged_shared_loads(module, *module.find("k"));
}

const std::string kBase =
    "mov.u32 %r1, %tid.y;\nmul.wide.s32 %rd1, %r1, 128;\nmov.u64 %rd2, tile;\nadd.s64 %rd3, %rd2, %rd1;\n";

TEST(LoadMerging, FourAlignedFloatsBecomeOneLoad) {
  const auto merged =
      merged_in(kBase +
                "ld.shared.f32 %f1, [%rd3];\nadd.f32 %f9, %f1, %f1;\nld.shared.f32 %f2, [%rd3+4];\n"
                "ld.shared.f32 %f3, [%rd3+8];\nld.shared.f32 %f4, [%rd3+12];");
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].width, 16u);
  EXPECT_EQ(merged[0].first_offset, 0);
  EXPECT_EQ(merged[0].ptx_lines.size(), 4u);
}

TEST(LoadMerging, OrderInTheTextDoesNotMatterButTheFirstStandsForAll) {
  const auto merged = merged_in(kBase + "ld.shared.f32 %f1, [%rd3+12];\nld.shared.f32 %f2, [%rd3+8];");
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].width, 8u);
  EXPECT_EQ(merged[0].first_offset, -4);
}

TEST(LoadMerging, DoublesMergeInPairs) {
  const auto merged = merged_in(kBase + "ld.shared.f64 %rd5, [%rd3+16];\nld.shared.f64 %rd6, [%rd3+24];");
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].width, 16u);
}

TEST(LoadMerging, WhatPreventsIt) {
  const std::string two = "ld.shared.f32 %f1, [%rd3];\n{}ld.shared.f32 %f2, [%rd3+4];";
  const auto between = [&](const std::string& code) {
    return merged_in(kBase + fmt::format(fmt::runtime(two), code));
  };
  EXPECT_EQ(between("").size(), 1u);
  EXPECT_EQ(between("st.global.f32 [%rd9], %f7;\n").size(), 1u);
  EXPECT_THAT(between("st.shared.f32 [%rd2], %f7;\n"), IsEmpty());
  EXPECT_THAT(between("bar.sync 0;\n"), IsEmpty());
  EXPECT_THAT(between("add.s64 %rd3, %rd3, 128;\n"), IsEmpty());
  EXPECT_THAT(between("@%p1 bra NEXT;\nNEXT:\n"), IsEmpty());
  // Rows of 33 floats: no row but the first is known to be aligned.
  std::string odd = kBase;
  odd.replace(odd.find("128"), 3, "132");
  EXPECT_THAT(merged_in(odd + "ld.shared.f32 %f1, [%rd3];\nld.shared.f32 %f2, [%rd3+4];"), IsEmpty());
  EXPECT_THAT(merged_in(kBase + "ld.shared.f32 %f1, [%rd3+4];\nld.shared.f32 %f2, [%rd3+8];"), IsEmpty());
  EXPECT_THAT(merged_in(kBase + "ld.volatile.shared.f32 %f1, [%rd3];\nld.volatile.shared.f32 %f2, [%rd3+4];"),
              IsEmpty());
}

Dependence dependence_of(const std::string& body) {
  return analyse_dependence(*module_of(body).find("k"));
}

const std::string kPointers =
    "ld.param.u64 %rd1, [k_param_0];\ncvta.to.global.u64 %rd2, %rd1;\nld.param.u64 %rd3, [k_param_1];\n"
    "cvta.to.global.u64 %rd4, %rd3;\nld.param.u32 %r1, [k_param_2];\nmov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd2, %rd5;\nadd.s64 %rd7, %rd4, %rd5;\n";

TEST(DependenceOnData, ACopyHasNone) {
  const Dependence d = dependence_of(kPointers +
                                     "setp.ge.u32 %p1, %r2, %r1;\n@%p1 bra END;\n"
                                     "ld.global.f32 %f1, [%rd6];\nst.global.f32 [%rd7], %f1;\nEND:");
  EXPECT_FALSE(d.on_data);
  EXPECT_FALSE(d.writes_anything);
  EXPECT_FALSE(d.has_global_atomics);
  EXPECT_FALSE(d.waits_for_memory);
  EXPECT_THAT(d.written_parameters, ElementsAre(1));
}

TEST(DependenceOnData, IndirectAddresses) {
  const Dependence d = dependence_of(kPointers +
                                     "ld.global.u32 %r3, [%rd6];\nmul.wide.u32 %rd8, %r3, 4;\n"
                                     "add.s64 %rd9, %rd4, %rd8;\nst.global.u32 [%rd9], %r2;");
  EXPECT_TRUE(d.on_data);
  EXPECT_THAT(d.written_parameters, ElementsAre(1));
  EXPECT_FALSE(d.writes_anything);
}

TEST(DependenceOnData, BranchesOnLoadedValues) {
  EXPECT_TRUE(dependence_of(kPointers + "ld.global.f32 %f1, [%rd6];\nsetp.gt.f32 %p1, %f1, 0f00000000;\n"
                                        "@%p1 bra END;\nst.global.f32 [%rd7], %f1;\nEND:")
                  .on_data);
  EXPECT_FALSE(dependence_of(kPointers + "ld.global.f32 %f1, [%rd6];\nsetp.gt.f32 %p1, %f1, 0f00000000;\n"
                                         "selp.f32 %f2, %f1, 0f00000000, %p1;\nst.global.f32 [%rd7], %f2;")
                   .on_data);
}

TEST(DependenceOnData, ThroughSharedMemory) {
  const std::string through =
      "mov.u64 %rd10, tile;\nld.global.u32 %r3, [%rd6];\nst.shared.u32 [%rd10], %r3;\nbar.sync 0;\n"
      "ld.shared.u32 %r4, [%rd10];\nmul.wide.u32 %rd8, %r4, 4;\nadd.s64 %rd9, %rd4, %rd8;\nst.global.u32 "
      "[%rd9], %r2;";
  EXPECT_TRUE(dependence_of(kPointers + through).on_data);
}

TEST(DependenceOnData, PointersFromMemoryWriteAnything) {
  const Dependence d = dependence_of(kPointers + "ld.global.u64 %rd8, [%rd6];\nst.global.u32 [%rd8], %r2;");
  EXPECT_TRUE(d.writes_anything);
  EXPECT_TRUE(d.on_data);
}

TEST(DependenceOnData, AtomicsAndWaiting) {
  EXPECT_TRUE(dependence_of(kPointers + "red.global.add.u32 [%rd6], %r2;").has_global_atomics);
  EXPECT_FALSE(dependence_of(kPointers + "red.global.add.u32 [%rd6], %r2;").on_data);
  EXPECT_TRUE(dependence_of(kPointers + "ld.volatile.global.u32 %r3, [%rd6];").waits_for_memory);
  EXPECT_TRUE(dependence_of(kPointers + "ld.acquire.gpu.u32 %r3, [%rd6];").waits_for_memory);
}

RC_GTEST_PROP(BlockBoxes, ThePositionBoxesHoldEachBlockOnce, ()) {
  const Dim3 grid{*rc::gen::inRange(1u, 9u), *rc::gen::inRange(1u, 6u), *rc::gen::inRange(1u, 4u)};
  std::set<std::uint64_t> seen;
  for (const BlockBox& box : position_boxes(grid))
    for (std::uint64_t i = 0; i < box.size(); ++i) {
      RC_ASSERT(box.contains(box.spread(i)));
      RC_ASSERT(seen.insert(linear_index(grid, box.spread(i))).second);
    }
  RC_ASSERT(seen.size() == grid.count());
  RC_ASSERT(*seen.rbegin() == grid.count() - 1);
}

RC_GTEST_PROP(BlockBoxes, SplittingLosesNothing, ()) {
  const BlockBox box{{*rc::gen::inRange(0u, 5u), *rc::gen::inRange(0u, 5u), 0},
                     {*rc::gen::inRange(1u, 9u), *rc::gen::inRange(2u, 9u), 1}};
  const auto [low, high] = box.split(1);
  RC_ASSERT(low.size() + high.size() == box.size());
  for (std::uint64_t i = 0; i < box.size(); ++i)
    RC_ASSERT(low.contains(box.spread(i)) != high.contains(box.spread(i)));
  for (const BlockPosition& corner : box.corners()) RC_ASSERT(box.contains(corner));
}

TEST(BlockBoxes, CountsAndCorners) {
  EXPECT_EQ(position_boxes({1, 1, 1}).size(), 1u);
  EXPECT_EQ(position_boxes({2, 1, 1}).size(), 2u);
  EXPECT_EQ(position_boxes({128, 128, 1}).size(), 9u);
  EXPECT_EQ(position_boxes({10, 10, 10}).size(), 27u);
  EXPECT_EQ(position_boxes({128, 128, 1}).back().size(), 126u * 126);
  EXPECT_EQ((BlockBox{{1, 1, 0}, {5, 4, 1}}.corners().size()), 4u);
  EXPECT_EQ((BlockBox{{1, 1, 0}, {1, 1, 1}}.corners().size()), 1u);
  EXPECT_EQ(position_boxes({2147483647, 65535, 65535}).back().spread(5)[0] > 0, true);
}

/// How many of the instructions are increments that the assembler lets the hardware combine.
std::size_t combined(const std::string& body, const std::string& target = "sm_90") {
  ptx::Module module = module_of(body);
  module.target = target;
  return combined_increments(module, *module.find("k")).size();
}

TEST(CombinedIncrements, AreAddsOfOneWhoseOldValueNobodyReads) {
  // Each line was compiled to ATOMS.POPC.INC by ptxas 13.0 ...
  EXPECT_EQ(combined("atom.shared.add.u32 %r1, [tile], 1;"), 1u);
  EXPECT_EQ(combined("red.shared.add.s32 [tile], 1;"), 1u);
  EXPECT_EQ(combined("mov.u32 %r2, 1;\natom.shared.add.u32 %r1, [tile], %r2;"), 1u);
  EXPECT_EQ(combined("atom.shared.inc.u32 %r1, [tile], -1;"), 1u);
  EXPECT_EQ(combined("atom.shared.cta.add.u32 %r1, [tile], 1;", "sm_80"), 1u);
  // ... and each of these was not.
  EXPECT_EQ(combined("atom.shared.add.u32 %r1, [tile], 1;\nst.shared.u32 [tile+4], %r1;"), 0u);
  EXPECT_EQ(combined("atom.shared.add.u32 %r1, [tile], 2;"), 0u);
  EXPECT_EQ(combined("ld.param.u32 %r2, [k_param_2];\natom.shared.add.u32 %r1, [tile], %r2;"), 0u);
  EXPECT_EQ(combined("atom.shared.add.u32 %r1, [tile], -1;"), 0u);
  EXPECT_EQ(combined("atom.shared.inc.u32 %r1, [tile], 10;"), 0u);
  EXPECT_EQ(combined("atom.shared.add.u64 %rd1, [tile], 1;"), 0u);
  EXPECT_EQ(combined("atom.shared.max.u32 %r1, [tile], 1;"), 0u);
  EXPECT_EQ(combined("atom.global.add.u32 %r1, [%rd1], 1;"), 0u);
  EXPECT_EQ(combined("atom.shared.add.u32 %r1, [tile], 1;", "sm_75"), 0u);
}

}  // namespace
}  // namespace gpuprobe::prediction
