// What the parser makes of hand-written functions, construct by construct.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "unit/ptx/parsing.h"

namespace gpuprobe::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Kind = Operand::Kind;

TEST(Parser, reads_the_header) {
  const auto module = parsed("");
  EXPECT_EQ(module.version, "8.5");
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.address_size, 64);
  EXPECT_TRUE(parse("").has_value());
  EXPECT_TRUE(parse(std::string_view(".version 9.0\n\0", 14)).has_value());  // NVRTC's size counts the NUL
}

TEST(Parser, reads_a_load_as_its_header_promises) {
  const auto function = body("@!%p1 ld.shared.v2.f32 {%f1, %f2}, [%r4+16];");
  const auto& load = function.body.at(0);
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_THAT(load.modifiers, ElementsAre("shared", "v2", "f32"));
  EXPECT_TRUE(load.guard_negated);
  EXPECT_EQ(function.registers.at(static_cast<std::size_t>(load.guard)).name, "%p1");
  ASSERT_EQ(load.operands.size(), 2U);
  ASSERT_EQ(load.operands[0].kind, Kind::kVector);
  ASSERT_EQ(load.operands[0].elements.size(), 2U);
  const auto& register_of = function.registers.at(static_cast<std::size_t>(load.operands[0].elements[1].reg));
  EXPECT_EQ(register_of.name, "%f2");
  EXPECT_EQ(register_of.type, "f32");
  EXPECT_EQ(load.operands[1].kind, Kind::kAddress);
  EXPECT_EQ(function.registers.at(static_cast<std::size_t>(load.operands[1].reg)).name, "%r4");
  EXPECT_EQ(load.operands[1].offset, 16);
  EXPECT_EQ(load.text_line, 13);
}

TEST(Parser, reads_every_form_of_operand) {
  EXPECT_EQ(instruction("mov.u32 %r1, %tid.x;").operands[1].kind, Kind::kSpecial);
  EXPECT_EQ(instruction("mov.u32 %r1, %tid.x;").operands[1].symbol, "%tid.x");
  EXPECT_EQ(instruction("mov.u64 %rd1, %clock64;").operands[1].symbol, "%clock64");
  EXPECT_EQ(instruction("mov.u32 %r1, %envreg31;").operands[1].symbol, "%envreg31");
  EXPECT_EQ(instruction("mov.u32 %r1, WARP_SZ;").operands[1].integer, 32);
  EXPECT_EQ(instruction("mov.u64 %rd1, g;").operands[1].symbol, "g");
  EXPECT_EQ(instruction("mov.u64 %rd1, g+12;").operands[1].offset, 12);
  EXPECT_EQ(instruction("mov.u64 %rd1, f;").operands[1].kind, Kind::kSymbol);
  EXPECT_EQ(instruction("ld.param.u64 %rd1, [p];").operands[1].symbol, "p");
  EXPECT_EQ(instruction("ld.shared.u32 %r1, [dyn+-4];").operands[1].offset, -4);
  EXPECT_EQ(instruction("ld.shared.u32 %r1, [%r2-4];").operands[1].offset, -4);
  EXPECT_EQ(instruction("ld.shared.u32 %r1, [64];").operands[1].integer, 64);
  EXPECT_EQ(instruction("ld.shared.u32 %r1, [64];").operands[1].reg, -1);
  EXPECT_EQ(instruction("atom.add.u32 _, [%rd1], 1;").operands[0].kind, Kind::kSink);
  EXPECT_TRUE(instruction("and.pred %p1, %p2, !%p3;").operands[2].negated);
  EXPECT_TRUE(instruction("setp.eq.s32 %p1|%p2, %r1, 0;").operands[0].pair_reg.has_value());
  EXPECT_FALSE(instruction("setp.eq.s32 %p1|_, %r1, 0;").operands[0].pair_reg.has_value());
  EXPECT_TRUE(instruction("shfl.sync.idx.b32 _|%p2, %r1, 0, 31, -1;").operands[0].pair_reg.has_value());
  const auto texture = instruction("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];");
  EXPECT_THAT(texture.modifiers, ElementsAre("2d", "v4", "f32", "f32"));
  EXPECT_EQ(texture.operands[1].elements.size(), 2U);
  EXPECT_THAT(instruction("ld.global.L1::evict_last.L2::128B.b32 %r1, [%rd1];").modifiers,
              ElementsAre("global", "L1::evict_last", "L2::128B", "b32"));
  EXPECT_THAT(instruction("ret;").operands, IsEmpty());
}

TEST(Parser, reads_every_form_of_number) {
  const auto value = [](const std::string& text) {
    return instruction("mov.b64 %rd1, " + text + ";").operands.at(1);
  };
  EXPECT_EQ(value("42").integer, 42);
  EXPECT_EQ(value("-42").integer, -42);
  EXPECT_EQ(value("42U").integer, 42);
  EXPECT_EQ(value("0").integer, 0);
  EXPECT_EQ(value("0U").integer, 0);
  EXPECT_EQ(value("0x1F").integer, 31);
  EXPECT_EQ(value("0XfFU").integer, 255);
  EXPECT_EQ(value("0b101").integer, 5);
  EXPECT_EQ(value("017").integer, 15);
  EXPECT_EQ(value("18446744073709551615").integer, -1);
  EXPECT_EQ(value("0xFFFFFFFFFFFFFFFF").integer, -1);
  EXPECT_EQ(value("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(value("0f3F800000").kind, Kind::kFloat32);
  EXPECT_EQ(value("0F3f800000").integer, 0x3F800000);
  EXPECT_EQ(value("-0f3F800000").integer, 0xBF800000);
  EXPECT_EQ(value("0d3FF0000000000000").kind, Kind::kFloat64);
  EXPECT_EQ(value("0D3FF0000000000000").integer, 0x3FF0000000000000);
  EXPECT_EQ(value("1.5").kind, Kind::kFloat64);
  EXPECT_EQ(value("1.5").integer, 0x3FF8000000000000);
  EXPECT_EQ(value("-1.5e+1").integer, std::bit_cast<std::int64_t>(-15.0));
  EXPECT_EQ(value("25e-2").integer, std::bit_cast<std::int64_t>(0.25));
}

TEST(Parser, evaluates_constant_expressions) {
  const auto value = [](const std::string& text) {
    return instruction("mov.b64 %rd1, " + text + ";").operands.at(1).integer;
  };
  EXPECT_EQ(value("1+2*3"), 7);
  EXPECT_EQ(value("(1+2)*3"), 9);
  EXPECT_EQ(value("10-4-3"), 3);
  EXPECT_EQ(value("1<<4|1"), 17);
  EXPECT_EQ(value("-16>>2"), -4);
  EXPECT_EQ(value("1<<64"), 0);
  EXPECT_EQ(value("~0"), -1);
  EXPECT_EQ(value("!5"), 0);
  EXPECT_EQ(value("7 % 4"), 3);
  EXPECT_EQ(value("6^3&1"), 7);
  EXPECT_EQ(value("-9223372036854775808/-1"), INT64_MIN);
  EXPECT_EQ(value("-9223372036854775808 % -1"), 0);
  EXPECT_THAT(refusal_in_body("mov.b32 %r1, 1/0;"), HasSubstr("divided by zero"));
  EXPECT_THAT(refusal_in_body("mov.b32 %r1, 1.5+1;"), HasSubstr("floating-point"));
  EXPECT_THAT(refusal_in_body("mov.b32 %r1, " + std::string(100, '(') + "1" + std::string(100, ')') + ";"),
              HasSubstr("nests deeper"));
  EXPECT_THAT(refusal_in_body("mov.b32 %r1, " + std::string(100000, '-') + "1;"), HasSubstr("nests deeper"));
}

TEST(Parser, enters_only_the_registers_that_are_used) {
  const auto function = body("mov.b32 %r39, %r0;");
  ASSERT_EQ(function.registers.size(), 2U);
  EXPECT_EQ(function.registers[0].name, "%r39");
  EXPECT_EQ(function.registers[1].name, "%r0");
  EXPECT_THAT(refusal_in_body("mov.b32 %r40, 1;"), HasSubstr("'%r40' is not declared"));
  EXPECT_THAT(refusal_in_body("mov.b32 %r01, 1;"), HasSubstr("'%r01' is not declared"));
  EXPECT_THAT(refusal_in_body(".reg .b32 %q<4000000000>;"), HasSubstr("'4000000000'"));
}

TEST(Parser, tells_ranges_apart_whose_names_end_in_digits) {
  const auto function =
      body("{\n.reg .b16 %r3<9>;\nmov.b16 %r38, %r31;\nmov.b32 %r2, %r39;\n}\nmov.b32 %r1, %r38;");
  const auto type_of = [&](int i, int operand) {
    return function.registers
        .at(static_cast<std::size_t>(
            function.body.at(static_cast<std::size_t>(i)).operands.at(static_cast<std::size_t>(operand)).reg))
        .type;
  };
  EXPECT_EQ(type_of(0, 0), "b16");
  EXPECT_EQ(type_of(0, 1), "b16");
  EXPECT_EQ(type_of(1, 1), "b32");  // number 9 of "%r3" does not exist; number 39 of "%r" does
  EXPECT_EQ(type_of(2, 1), "b32");
}

TEST(Parser, keeps_names_of_nested_scopes_apart) {
  const auto function = body(R"(
    { .reg .b32 t; .param .b64 param0; st.param.b64 [param0], %rd1; mov.b32 t, 1; }
    { .reg .b32 t; .param .b64 param0; st.param.b64 [param0], %rd1; { .reg .b16 t; mov.b16 t, 2; } mov.b32 t, 3; })");
  ASSERT_EQ(function.variables.size(), 2U);
  EXPECT_EQ(function.variables[0].name, "param0");
  EXPECT_EQ(function.variables[1].name, "param0@2");
  EXPECT_EQ(function.body.at(0).operands[0].symbol, "param0");
  EXPECT_EQ(function.body.at(2).operands[0].symbol, "param0@2");
  const auto name_of = [&](std::size_t i) {
    return function.registers.at(static_cast<std::size_t>(function.body.at(i).operands[0].reg)).name;
  };
  EXPECT_EQ(name_of(1), "t");
  EXPECT_EQ(name_of(3), "t@3");  // the third to be declared, as the inner one is used first
  EXPECT_EQ(name_of(4), "t@2");
  EXPECT_THAT(refusal_in_body("{ .reg .b32 t; }\nmov.b32 t, 1;"), HasSubstr("line 9: 't' is not declared"));
}

TEST(Parser, resolves_labels_by_scope) {
  const auto function = body(R"(
    { LOOP: @%p1 bra DONE; bra LOOP; DONE: }
    { LOOP: @%p1 bra DONE; @%p2 bra OUT; bra LOOP; DONE: }
    OUT:)");
  ASSERT_EQ(function.body.size(), 5U);
  const auto target = [&](std::size_t i) { return function.body.at(i).operands.at(0).target; };
  EXPECT_EQ(target(0), 2);
  EXPECT_EQ(target(1), 0);
  EXPECT_EQ(target(2), 5);
  EXPECT_EQ(target(3), 5);
  EXPECT_EQ(target(4), 2);
  EXPECT_EQ(function.labels.at("LOOP@2"), 2);
  EXPECT_EQ(function.labels.at("OUT"), 5);
  EXPECT_THAT(refusal_in_body("bra NOWHERE;"), HasSubstr("line 8: there is no label 'NOWHERE'"));
  EXPECT_THAT(refusal_in_body("{ INNER: }\nbra INNER;"), HasSubstr("there is no label"));
  EXPECT_THAT(refusal_in_body("L: L: ret;"), HasSubstr("declared twice"));
}

TEST(Parser, reads_jump_tables) {
  const auto function = body("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: ret;\nB: exit;");
  EXPECT_THAT(function.branch_targets, ElementsAre(Pair("T", ElementsAre(1, 2, 1))));
  EXPECT_EQ(function.body.at(0).operands[1].symbol, "T");
  EXPECT_THAT(refusal_in_body("brx.idx %r1, %r2;"), HasSubstr("brx.idx needs"));
}

TEST(Parser, gives_calls_one_shape) {
  const auto function = body(R"(
    { .param .b64 a; .param .b32 r;
      call.uni (r), f, (a);
      call (%r1), f, (%rd1);
      call f, (a);
      call f;
      proto : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[24]) .noreturn;
      call (r), %rd2, (a), proto;
      targets: .calltargets f, k;
      call %rd2, targets;
    })");
  ASSERT_EQ(function.body.size(), 6U);
  for (const auto& call : function.body) {
    EXPECT_EQ(call.opcode, "call");
    ASSERT_GE(call.operands.size(), 3U);
    EXPECT_EQ(call.operands[0].kind, Kind::kVector);
    EXPECT_EQ(call.operands[2].kind, Kind::kVector);
  }
  EXPECT_EQ(function.body[0].operands[0].elements.at(0).symbol, "r");
  EXPECT_EQ(function.body[0].operands[1].symbol, "f");
  EXPECT_EQ(function.body[0].operands[2].elements.at(0).symbol, "a");
  EXPECT_EQ(function.body[1].operands[0].elements.at(0).kind, Kind::kRegister);
  EXPECT_THAT(function.body[2].operands[0].elements, IsEmpty());
  EXPECT_THAT(function.body[3].operands[2].elements, IsEmpty());
  EXPECT_EQ(function.body[4].operands[1].kind, Kind::kRegister);
  EXPECT_EQ(function.body[4].operands.at(3).symbol, "proto");
  EXPECT_EQ(function.body[5].operands.at(3).symbol, "targets");
  EXPECT_THAT(function.call_targets.at("targets"), ElementsAre("f", "k"));
  const auto& prototype = function.prototypes.at("proto");
  ASSERT_EQ(prototype.parameters.size(), 2U);
  EXPECT_EQ(prototype.parameters[1].bytes, 24U);
  EXPECT_EQ(prototype.parameters[1].offset, 8U);
  EXPECT_TRUE(prototype.is_noreturn);
  EXPECT_THAT(refusal_in_body("call nothing, ();"), HasSubstr("'nothing' is not declared"));
}

TEST(Parser, names_the_line_and_the_text_that_it_refuses) {
  EXPECT_EQ(refusal("hello"), "PTX line 4: a directive was expected, not 'hello'");
  EXPECT_EQ(refusal(".entry k() {"), "PTX line 4: an instruction was expected, not the end of the text");
  EXPECT_EQ(refusal_in_body("add.s32 %r1, %r2 %r3;"), "PTX line 8: ';' was expected, not '%r3'");
  EXPECT_EQ(refusal_in_body("add.s32 %r1, .x;"), "PTX line 8: an operand was expected, not '.x'");
  EXPECT_EQ(refusal_in_body("mov.b32 %r1, 0xZZ;"), "PTX line 8: '0xZZ' is not a number of at most 64 bits");
  EXPECT_EQ(refusal_in_body("mov.b32 %r1, 0f3F8000;"),
            "PTX line 8: '0f3F8000' is not a number of at most 64 bits");
  EXPECT_EQ(refusal_in_body("mov.b32 %r1, 18446744073709551616;"),
            "PTX line 8: '18446744073709551616' is not a number of at most 64 bits");
  EXPECT_EQ(refusal_in_body("vadd.u32 %r1, %r1.b0, %r2.b1, %r3;"),
            "PTX line 8: the part '.b0' of the register '%r1' is not supported");
  EXPECT_EQ(refusal_in_body("@%r1 ret;"), "PTX line 8: the guard '%r1' is not a predicate");
  EXPECT_EQ(refusal_in_body("\x01\xff"), "PTX line 8: an instruction was expected, not '\\x01'");
  EXPECT_EQ(refusal(".global .b8 x[1] = {1, 2};"),
            "PTX line 4: there are more initial values than the 1 of the array");
  EXPECT_EQ(refusal(".global .q32 x;"), "PTX line 4: the type '.q32' is not supported");
  EXPECT_EQ(refusal(".file 1 \"a"), "PTX line 4: a string is not closed");
  EXPECT_EQ(refusal("\n/* a"), "PTX line 5: a comment '/*' is not closed");
  EXPECT_EQ(refusal(".address_size 32"),
            "PTX line 4: only 64-bit addresses are supported (.address_size 64)");
}

}  // namespace
}  // namespace gpuprobe::ptx
