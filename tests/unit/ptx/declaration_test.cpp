// What the parser makes of declarations, initial values and locations, and what it refuses to allocate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "model/ptx/locations.h"
#include "unit/ptx/parsing.h"

namespace gpuprobe::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Declarations, lays_out_parameters) {
  const auto module = parsed(R"(.visible .entry k(
      .param .u8 a, .param .u64 .ptr .global .align 1 b, .param .align 16 .b8 c[20], .param .u16 d,
      .param .v4 .f32 e, .param .align 4 .b8 f[0])
    .maxntid 256, 2, 1
    .minnctapersm 2
    .maxnreg 40
    .explicitcluster
    .reqnctapercluster 2, 1, 1
    { .pragma "nounroll"; ret; })");
  const auto& k = *module.find("k");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const auto& parameter : k.parameters) places.emplace_back(parameter.offset, parameter.bytes);
  EXPECT_THAT(places,
              ElementsAre(Pair(0, 1), Pair(8, 8), Pair(16, 20), Pair(36, 2), Pair(48, 16), Pair(64, 0)));
  EXPECT_THAT(k.bounds.at("maxntid"), ElementsAre(256, 2, 1));
  EXPECT_THAT(k.bounds.at("minnctapersm"), ElementsAre(2));
  EXPECT_THAT(k.bounds.at("maxnreg"), ElementsAre(40));
  EXPECT_THAT(k.bounds.at("explicitcluster"), IsEmpty());
  EXPECT_THAT(k.bounds.at("reqnctapercluster"), ElementsAre(2, 1, 1));
}

TEST(Declarations, replaces_a_declaration_by_its_definition) {
  const auto module = parsed(R"(
    .func (.reg .b32 %out) f (.reg .b32 %in);
    .func .noreturn stop(.param .b32 code) .noreturn;
    .func (.reg .b32 %out) f (.reg .b32 %in) { add.s32 %out, %in, 1; ret; }
    .extern .func f;
    .alias g, f;
    .visible .entry k() { call (_), g, (1); })");
  ASSERT_EQ(module.functions.size(), 3U);
  const auto* f = module.find("f");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(module.find("g"), f);
  EXPECT_EQ(module.find("stop"), nullptr);
  EXPECT_TRUE(module.functions[1].is_noreturn);
  EXPECT_EQ(f->registers.at(static_cast<std::size_t>(f->parameters.at(0).reg)).name, "%in");
  EXPECT_EQ(f->body.at(0).operands[0].reg, f->returns.at(0).reg);
  EXPECT_THAT(refusal(".func f { ret; }\n.func f { ret; }"), HasSubstr("'f' is defined twice"));
}

TEST(Declarations, reads_variables) {
  const auto module = parsed(R"(
    .extern .shared .align 16 .b8 dyn[];
    .shared .align 4 .f32 tile[32][33];
    .visible .global .attribute(.managed) .align 4 .u32 a, b[3];
    .const .align 8 .v2 .f64 pairs[2];
    .global .align 1 .b8 text[6] = {104, 105, 0};
    .global .u64 table[] = {generic(a), generic(b)+8, b+4, 7};
    .global .b32 grid[2][2] = {{1}, {3, 4}};
    .global .b8 parts[3] = {0xff(a), 0xFF00(a+1), 0xFF0000(generic(a))};
    .global .f32 one = 0f3F800000;
    .global .f32 half[2] = {0.5, 2};
    .global .f64 big = {0d3FF0000000000000};
    .global .s16 minus = -2;
    .global .texref tex;)");
  const auto variable = [&](const std::string& name) {
    for (const auto& candidate : module.variables)
      if (candidate.name == name) return candidate;
    ADD_FAILURE() << name;
    return Variable{};
  };
  EXPECT_EQ(variable("dyn").bytes, 0U);
  EXPECT_TRUE(variable("dyn").is_extern);
  EXPECT_EQ(variable("dyn").align, 16U);
  EXPECT_EQ(variable("tile").bytes, 4224U);
  EXPECT_EQ(variable("tile").space, Space::kShared);
  EXPECT_EQ(variable("b").bytes, 12U);
  EXPECT_EQ(variable("pairs").bytes, 32U);
  EXPECT_EQ(variable("pairs").align, 16U);
  EXPECT_EQ(variable("text").bytes, 6U);
  EXPECT_THAT(variable("text").initial, ElementsAre(104, 105, 0));
  const auto table = variable("table");
  EXPECT_EQ(table.bytes, 32U);
  ASSERT_EQ(table.relocations.size(), 3U);
  EXPECT_TRUE(table.relocations[0].is_generic);
  EXPECT_EQ(table.relocations[1].addend, 8);
  EXPECT_EQ(table.relocations[1].offset, 8U);
  EXPECT_FALSE(table.relocations[2].is_generic);
  EXPECT_EQ(table.relocations[2].addend, 4);
  EXPECT_EQ(table.initial[24], 7);
  EXPECT_THAT(variable("grid").initial, ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0));
  const auto parts = variable("parts");
  ASSERT_EQ(parts.relocations.size(), 3U);
  EXPECT_EQ(parts.relocations[1].shift, 8U);
  EXPECT_EQ(parts.relocations[1].bytes, 1U);
  EXPECT_EQ(parts.relocations[1].addend, 1);
  EXPECT_TRUE(parts.relocations[2].is_generic);
  EXPECT_THAT(variable("one").initial, ElementsAre(0, 0, 0x80, 0x3F));
  EXPECT_THAT(variable("half").initial, ElementsAre(0, 0, 0, 0x3F, 0, 0, 0, 0x40));
  EXPECT_THAT(variable("big").initial, ElementsAre(0, 0, 0, 0, 0, 0, 0xF0, 0x3F));
  EXPECT_THAT(variable("minus").initial, ElementsAre(0xFE, 0xFF));
  EXPECT_EQ(variable("tex").bytes, 8U);
}

TEST(Declarations, lets_variables_point_at_one_another) {
  const auto module = parsed(
      ".extern .global .u64 b;\n.global .u64 a = generic(b);\n.global .u64 b = generic(a);\n"
      ".global .u64 self = self;");
  EXPECT_EQ(module.variables.size(), 3U);
  EXPECT_THAT(refusal(".global .u64 a = generic(b);"), HasSubstr("line 4: 'b' is not declared"));
}

TEST(Declarations, chains_inlined_locations) {
  const auto module = parsed(R"(.entry k() {
      .loc 1 20 3
      .loc 1 10 10, function_name $L__info_string0, inlined_at 1 20 3
      .loc 1 5 3, function_name $L__info_string1+1, inlined_at 1 10 10
      bar.sync 0;
      .loc 1 10 10, function_name $L__info_string0, inlined_at 1 20 3
      bar.sync 1;
      .loc 1 7 1, function_name $L__info_string9, inlined_at 1 99 1
      bar.sync 2;
    }
    .file 1 "C:\\src\\a \"b\".cu", 12345, 678
    .section .debug_str
    {
    $L__info_string0:
    .b8 110,111,114,109,0
    $L__info_string1:
    .b8 120,115,113
    .b8 0
    })");
  EXPECT_EQ(module.files.at(1), "C:\\src\\a \"b\".cu");
  const auto& k = *module.find("k");
  const auto chain = [&](std::size_t i) {
    std::vector<std::pair<int, std::string>> lines;
    for (const auto* location : location_chain(k, k.body.at(i).location))
      lines.emplace_back(location->line, location->function);
    return lines;
  };
  EXPECT_THAT(chain(0), ElementsAre(Pair(5, "sq"), Pair(10, "norm"), Pair(20, "")));
  EXPECT_THAT(chain(1), ElementsAre(Pair(10, "norm"), Pair(20, "")));
  EXPECT_THAT(chain(2), ElementsAre(Pair(7, ""), Pair(99, "")));
  EXPECT_EQ(k.body[1].location, 1);  // the same position again is the same location
  EXPECT_THAT(location_chain(k, -1), IsEmpty());
}

TEST(Declarations, skips_what_says_nothing_about_execution) {
  parsed(R"(# 1 "a.cu"
    // a comment
    /* one
       over lines */ .pragma "nounroll";
    .section .debug_abbrev { .b8 1 .b8 2 .b64 $L__a .b32 .debug_str .b32 a-b }
    .entry k() { .pragma "used_bytes_mask 0xff"; // begin inline asm
      ;; ret; })");
}

TEST(Declarations, bounds_what_hostile_text_can_cost) {
  EXPECT_THAT(refusal(".global .b8 x[4294967296][4294967296];"), HasSubstr("exceeds"));
  EXPECT_THAT(refusal(".global .b8 x[-1];"), HasSubstr("-1 elements"));
  EXPECT_THAT(refusal(".shared .b8 x[2000000];"), HasSubstr("exceeds 1048576 bytes"));
  EXPECT_THAT(refusal(".global .b8 x[2][1000000000] = {{1}, {1}};"), HasSubstr("initial values exceed"));
  EXPECT_THAT(refusal(".global .b8 x[0] = 1;"), HasSubstr("empty array"));
  EXPECT_THAT(refusal(".global .b8 x[2][0] = {{}};"), HasSubstr("more initial values"));
  EXPECT_THAT(refusal(".global .align 3 .b8 x;"), HasSubstr("power of two"));
  EXPECT_THAT(refusal(".global .b8 x[1][1][1][1][1][1][1][1][1];"), HasSubstr("more than 8 dimensions"));
  EXPECT_THAT(refusal(".entry k(.param .b8 a[1099511627776]) {}"), HasSubstr("exceeds"));
  EXPECT_THAT(refusal(".entry k() {" + std::string(300, '{')), HasSubstr("nests deeper than 256"));
  std::string operands = "1";
  for (int i = 0; i < 70; ++i) operands += ",1";
  EXPECT_THAT(refusal_in_body("foo " + operands + ";"), HasSubstr("more than 64 operands"));
}

}  // namespace
}  // namespace gpuprobe::ptx
