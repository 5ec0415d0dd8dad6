// Every instruction of every fixture, written out again from what was parsed, is the text that nvcc wrote;
// and so are literals of every kind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <sstream>
#include <string>
#include <vector>

#include "model/ptx/constants.h"
#include "model/ptx/lexer.h"
#include "unit/ptx/fixtures.h"

namespace gpuprobe::ptx {
namespace {

// The words of a text with numbers by value: "[param0+0]" and "0x10" are as good as "[param0]" and "16".
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> result;
  Lexer lexer(text);
  for (Token token = lexer.next(); !token.is(Token::Kind::kEnd); token = lexer.next()) {
    std::string word(token.text);
    if (token.is(Token::Kind::kDotWord)) word = "." + word;
    if (const auto number = parse_number(word)) {
      std::int64_t value = static_cast<std::int64_t>(number->bits);
      if (!result.empty() && result.back() == "-") {
        value = -value;
        result.pop_back();
      }
      if (!result.empty() && result.back() == "+") {
        result.pop_back();
        if (value == 0) continue;
      }
      word = fmt::format("{}:{}", static_cast<int>(number->kind), value);
    }
    result.push_back(word);
  }
  return result;
}

std::string original_name(const std::string& name) {
  return name.substr(0, name.find('@'));
}

class Printer {
 public:
  explicit Printer(const Function& function) : function_(function) {}

  std::string text(const Instruction& instruction) const {
    std::string result;
    if (instruction.guard >= 0)
      result += fmt::format("@{}{} ", instruction.guard_negated ? "!" : "", name(instruction.guard));
    result += instruction.opcode;
    for (const auto& modifier : instruction.modifiers) result += "." + modifier;
    result += instruction.opcode == "call" ? call(instruction) : list(instruction.operands);
    return result + ";";
  }

 private:
  const std::string& register_name(int i) const {
    return function_.registers.at(static_cast<std::size_t>(i)).name;
  }
  std::string name(int i) const { return original_name(register_name(i)); }

  std::string list(const std::vector<Operand>& operands) const {
    std::string result;
    for (const auto& operand : operands) result += (result.empty() ? " " : ", ") + text(operand);
    return result;
  }

  std::string call(const Instruction& instruction) const {
    std::string result = " ";
    const auto& operands = instruction.operands;
    if (!operands.at(0).elements.empty()) result += "(" + list(operands[0].elements) + "), ";
    result += text(operands.at(1)) + ", (" + list(operands.at(2).elements) + ")";
    return operands.size() > 3 ? result + ", " + text(operands[3]) : result;
  }

  static std::string offset(std::int64_t value) { return value == 0 ? "" : fmt::format("+{}", value); }

  std::string label(int target) const {
    for (const auto& [label, index] : function_.labels)
      if (index == target) return original_name(label);
    return fmt::format("<{}>", target);
  }

  std::string text(const Operand& operand) const {
    using Kind = Operand::Kind;
    std::string result;
    switch (operand.kind) {
      case Kind::kRegister:
        result = (operand.negated ? "!" : "") + name(operand.reg);
        return operand.pair_reg ? result + "|" + name(*operand.pair_reg) : result;
      case Kind::kInteger:
        return fmt::format("{}", operand.integer);
      case Kind::kFloat32:
        return fmt::format("0f{:08X}", static_cast<std::uint64_t>(operand.integer));
      case Kind::kFloat64:
        return fmt::format("0d{:016X}", static_cast<std::uint64_t>(operand.integer));
      case Kind::kSymbol:
        return original_name(operand.symbol) + offset(operand.offset);
      case Kind::kSpecial:
        return operand.symbol;
      case Kind::kVector:
        return "{" + list(operand.elements) + "}";
      case Kind::kLabel:
        return label(operand.target);
      case Kind::kSink:
        return "_";
      case Kind::kAddress:
        result = operand.reg >= 0         ? name(operand.reg)
                 : operand.symbol.empty() ? fmt::format("{}", operand.integer)
                                          : original_name(operand.symbol);
        result += offset(operand.offset);
        if (!operand.elements.empty()) result += ", {" + list(operand.elements) + "}";
        return "[" + result + "]";
    }
    return result;
  }

  const Function& function_;
};

// The instructions of a module's text as lists of words, found without the parser: what ends in ';' and is
// neither a declaration nor a directive.
std::vector<std::vector<std::string>> statements(const std::string& module) {
  std::string text;
  std::istringstream lines(module);
  for (std::string line; std::getline(lines, line) && !line.starts_with("\t.section");) {
    const auto first = line.find_first_not_of(" \t");
    bool ends_with_line = false;  // a directive without a semicolon
    for (const std::string word : {".loc", ".file", ".version", ".target", ".address_size"})
      ends_with_line = ends_with_line || (first != std::string::npos && line.substr(first).starts_with(word));
    if (!ends_with_line) text += line + "\n";
  }
  std::vector<std::vector<std::string>> result;
  std::vector<std::string> current;
  for (const auto& word : words(text)) {
    const bool declares = !current.empty() && current[0][0] == '.';
    if (word == ";") {
      if (!current.empty() && !declares) result.push_back(current);
      current.clear();
    } else if (word == ":" && current.size() == 1) {
      current.clear();
    } else if (word == "{" && (current.empty() || (declares && current.back() != "="))) {
      current.clear();
    } else if (word != "}" || !current.empty()) {
      current.push_back(word);
    }
  }
  return result;
}

class Fixture : public ::testing::TestWithParam<std::string> {};

TEST_P(Fixture, is_written_out_again_as_it_was) {
  const auto expected = statements(fixture_text(GetParam()));
  std::size_t compared = 0;
  for (const auto& function : fixture(GetParam()).functions) {
    const Printer printer(function);
    for (const auto& instruction : function.body) {
      ASSERT_LT(compared, expected.size());
      auto written = words(printer.text(instruction));
      written.pop_back();  // ';'
      ASSERT_EQ(written, expected[compared]) << "line " << instruction.text_line;
      ++compared;
    }
  }
  EXPECT_EQ(compared, expected.size());
  EXPECT_GT(compared, 30U);
}

INSTANTIATE_TEST_SUITE_P(Ptx, Fixture, ::testing::ValuesIn(fixture_names()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.'; }, '_');
  return name;
});

RC_GTEST_PROP(Literals, integers_come_back, (std::uint64_t value)) {
  for (const auto& text :
       {fmt::format("{}", value), fmt::format("{}U", value), fmt::format("0x{:x}", value),
        fmt::format("0X{:X}U", value), fmt::format("0b{:b}", value), fmt::format("0{:o}", value)}) {
    const auto number = parse_number(text);
    RC_ASSERT(number.has_value());
    RC_ASSERT(number->kind == Constant::Kind::kInteger);
    RC_ASSERT(number->bits == value);
  }
}

RC_GTEST_PROP(Literals, floats_come_back_bit_by_bit, (std::uint64_t bits)) {
  const auto wide = parse_number(fmt::format("0d{:016X}", bits));
  RC_ASSERT(wide.has_value() && wide->kind == Constant::Kind::kFloat64 && wide->bits == bits);
  const auto narrow = parse_number(fmt::format("0f{:08x}", bits & UINT32_MAX));
  RC_ASSERT(narrow.has_value() && narrow->kind == Constant::Kind::kFloat32 &&
            narrow->bits == (bits & UINT32_MAX));
}

RC_GTEST_PROP(Literals, decimal_floats_come_back, (double value)) {
  const auto number = parse_number(fmt::format("{:#.17g}", std::abs(value)));
  RC_ASSERT(number.has_value());
  RC_ASSERT(number->kind == Constant::Kind::kFloat64);
  RC_ASSERT(std::bit_cast<double>(number->bits) == std::abs(value));
}

// Garbage is refused or accepted, but nothing else.
RC_GTEST_PROP(Literals, garbage_is_no_number, (const std::string& text)) {
  const auto number = parse_number(text);
  if (number) RC_ASSERT(text.find_first_of("0123456789") != std::string::npos);
}

}  // namespace
}  // namespace gpuprobe::ptx
