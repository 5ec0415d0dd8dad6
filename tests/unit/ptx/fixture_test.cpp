// What is known of the fixtures' sources is found in what was parsed of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "model/ptx/locations.h"
#include "unit/ptx/fixtures.h"

namespace gpuprobe::ptx {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

const Function& function_of(const std::string& name, const std::string& function) {
  static const Function kNone;
  const auto* found = fixture(name).find(function);
  EXPECT_NE(found, nullptr) << function;
  return found ? *found : kNone;
}

// 1-based line of the source that holds `text`.
int source_line(const std::string& source, const std::string& text) {
  std::istringstream lines(fixture_text(source));
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number)
    if (line.find(text) != std::string::npos) return number;
  ADD_FAILURE() << text;
  return 0;
}

std::set<std::string> opcodes(const Function& function) {
  std::set<std::string> result;
  for (const auto& instruction : function.body) {
    std::string name = instruction.opcode;
    if (!instruction.modifiers.empty()) name += "." + instruction.modifiers[0];
    result.insert(name);
  }
  return result;
}

class Inlined : public ::testing::TestWithParam<std::string> {};

TEST_P(Inlined, loads_know_their_call_sites) {
  const auto& kernel = function_of(GetParam(), "inlined");
  const int load_line = source_line("inlined.cu", "return square(p[i])");
  const std::set<int> call_lines = {source_line("inlined.cu", "float sum = norm(in, i);"),
                                    source_line("inlined.cu", "sum += norm(in, i + 2)")};
  std::set<int> seen;
  std::size_t loads = 0;
  for (const auto& instruction : kernel.body) {
    if (instruction.opcode != "ld" || instruction.modifiers.at(0) != "global") continue;
    ++loads;
    const auto chain = location_chain(kernel, instruction.location);
    ASSERT_EQ(chain.size(), 2U);
    EXPECT_EQ(fixture(GetParam()).files.at(chain[0]->file), "inlined.cu");
    EXPECT_THAT(chain[0]->line - load_line, ::testing::AnyOf(0, 1));
    EXPECT_EQ(chain[0]->function, "_Z4normPKfi");
    seen.insert(chain[1]->line);
  }
  EXPECT_EQ(loads, 4U);
  EXPECT_EQ(seen, call_lines);
}

TEST_P(Inlined, multiplications_are_three_levels_deep) {
  const auto& kernel = function_of(GetParam(), "inlined");
  std::size_t deepest = 0;
  for (const auto& instruction : kernel.body) {
    const auto chain = location_chain(kernel, instruction.location);
    if (chain.size() < 3) continue;
    deepest = std::max(deepest, chain.size());
    EXPECT_EQ(chain[0]->line, source_line("inlined.cu", "return x * x;"));
    EXPECT_EQ(chain[0]->function, "_Z6squaref");
    EXPECT_EQ(chain[1]->function, "_Z4normPKfi");
  }
  EXPECT_EQ(deepest, 3U);
}

TEST_P(Inlined, calls_have_one_shape) {
  const auto& kernel = function_of(GetParam(), "inlined");
  std::map<std::string, std::pair<std::size_t, std::size_t>> calls;
  for (const auto& instruction : kernel.body)
    if (instruction.opcode == "call")
      calls[instruction.operands.at(1).symbol] = {instruction.operands.at(0).elements.size(),
                                                  instruction.operands.at(2).elements.size()};
  const std::map<std::string, std::pair<std::size_t, std::size_t>> expected = {
      {"_Z11clamp_indexii", {1, 2}}, {"vprintf", {1, 2}}, {"__assertfail", {0, 5}}};
  EXPECT_EQ(calls, expected);
}

INSTANTIATE_TEST_SUITE_P(Ptx, Inlined, ::testing::Values("inlined.sm_80.ptx", "inlined.sm_120.ptx"));

TEST(Fixtures, control_has_its_calls_and_recursion) {
  for (const std::string name : {"control.sm_75.ptx", "control.sm_90.ptx"}) {
    EXPECT_THAT(opcodes(function_of(name, "_Z9fibonaccii")), Contains("call.uni"));
    const auto& calls = function_of(name, "calls");
    ASSERT_THAT(calls.prototypes, SizeIs(1));
    EXPECT_THAT(calls.prototypes.begin()->second.parameters, SizeIs(2));
    EXPECT_THAT(calls.prototypes.begin()->second.returns, SizeIs(1));
    const auto indirect =
        std::find_if(calls.body.begin(), calls.body.end(), [](const Instruction& instruction) {
          return instruction.opcode == "call" && instruction.operands.size() == 4;
        });
    ASSERT_NE(indirect, calls.body.end());
    EXPECT_EQ(indirect->operands[1].kind, Operand::Kind::kRegister);
    EXPECT_EQ(indirect->operands[3].symbol, calls.prototypes.begin()->first);
  }
}

TEST(Fixtures, data_has_its_variables) {
  const auto& module = fixture("data.sm_89.ptx");
  std::map<std::string, Variable> variables;
  for (const auto& variable : module.variables) variables[variable.name] = variable;
  EXPECT_EQ(variables["numbers"].bytes, 20U);
  EXPECT_THAT(variables["numbers"].initial,  // nvcc leaves trailing zeros away

              ElementsAre(255, 255, 255, 255, 2, 0, 0, 0, 255, 255, 255, 127));
  EXPECT_EQ(variables["record"].bytes, 24U);
  EXPECT_EQ(variables["record"].align, 8U);
  EXPECT_THAT(variables["record"].initial,
              ElementsAre(0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 'a', 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3));
  ASSERT_EQ(variables["pointers"].relocations.size(), 2U);
  EXPECT_EQ(variables["pointers"].relocations[1].symbol, "numbers");
  EXPECT_EQ(variables["pointers"].relocations[1].offset, 16U);
  EXPECT_EQ(variables["pointers"].relocations[1].addend, 8);
  EXPECT_EQ(variables["coefficients"].space, Space::kConst);
  EXPECT_EQ(variables["coefficients"].bytes, 16U);
  EXPECT_EQ(variables["counter"].initial.at(0), 7);
  EXPECT_TRUE(variables["dynamic"].is_extern);
  EXPECT_EQ(variables["dynamic"].bytes, 0U);

  const auto& kernel = function_of("data.sm_89.ptx", "data");
  std::map<Space, std::uint64_t> bytes;
  for (const auto& variable : kernel.variables)
    if (variable.space != Space::kParam) bytes[variable.space] += variable.bytes;
  EXPECT_EQ(bytes[Space::kShared], 4 * 24U + 32 * 33 * 4U);
  EXPECT_EQ(bytes[Space::kLocal], 64 * 4U);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const auto& parameter : kernel.parameters) places.emplace_back(parameter.offset, parameter.bytes);
  EXPECT_THAT(places, ElementsAre(std::pair(0, 24), std::pair(24, 8), std::pair(32, 3), std::pair(40, 8),
                                  std::pair(48, 4)));
}

TEST(Fixtures, inline_assembly_keeps_its_scopes_apart) {
  const auto& kernel = function_of("tensor.sm_80.ptx", "assembly");
  EXPECT_THAT(opcodes(kernel), IsSupersetOf({"cp.async", "ldmatrix.sync", "mma.sync"}));
  EXPECT_TRUE(kernel.labels.contains("DONE"));
  EXPECT_TRUE(kernel.labels.contains("DONE@2"));
  for (const auto& instruction : kernel.body) {
    if (instruction.opcode != "bra") continue;
    const auto& skipped = kernel.body.at(static_cast<std::size_t>(instruction.operands[0].target - 1));
    EXPECT_EQ(skipped.opcode, "st");  // both leap over the store just behind them
  }
}

TEST(Fixtures, groups_have_what_their_headers_write) {
  const auto& module = fixture("groups.sm_90.ptx");
  EXPECT_EQ(module.target, "sm_90");
  EXPECT_THAT(function_of("groups.sm_90.ptx", "cluster").bounds.at("reqnctapercluster"),
              ElementsAre(2, 1, 1));
  EXPECT_THAT(function_of("groups.sm_90.ptx", "warps").bounds.at("maxntid"), Contains(256));
  EXPECT_THAT(function_of("groups.sm_90.ptx", "warps").bounds.at("minnctapersm"), ElementsAre(2));
  EXPECT_THAT(opcodes(function_of("groups.sm_90.ptx", "warps")),
              IsSupersetOf({"match.any", "vote.sync", "redux.sync", "shfl.sync", "nanosleep.u32"}));
  EXPECT_THAT(opcodes(function_of("groups.sm_90.ptx", "textures")), Contains("tex.2d"));
  std::set<std::string> names;
  for (const auto& [number, path] : module.files) names.insert(path);
  EXPECT_THAT(names, Contains("groups.cu"));
}

TEST(Fixtures, locations_name_files_and_lines_that_exist) {
  for (const auto& name : fixture_names()) {
    const auto& module = fixture(name);
    for (const auto& function : module.functions)
      for (std::size_t i = 0; i < function.locations.size(); ++i) {
        const auto& location = function.locations[i];
        EXPECT_TRUE(module.files.contains(location.file));
        EXPECT_LT(location.inlined_at, static_cast<int>(i));
        EXPECT_GE(location.line, 0);
      }
  }
}

}  // namespace
}  // namespace gpuprobe::ptx
