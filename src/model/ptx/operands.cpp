// Operands of instructions.
#include <fmt/format.h>

#include <utility>

#include "model/ptx/constants.h"
#include "model/ptx/limits.h"
#include "model/ptx/module_parser.h"
#include "model/ptx/types.h"

namespace gpuprobe::ptx {

Operand ModuleParser::parse_operand(Scopes& scopes) {
  Operand operand;
  const auto& token = lexer_.peek();
  if (lexer_.accept('{')) return parse_list(scopes, '}');
  if (token.is('[')) return parse_address(scopes);
  if (token.is('!') && lexer_.peek_second().is(Token::Kind::kIdentifier)) {
    lexer_.next();
    operand.kind = Operand::Kind::kRegister;
    operand.negated = true;
    operand.reg = parse_register(scopes);
    return operand;
  }
  if (begins_constant(token)) {
    const auto value = read_constant(lexer_);
    operand.integer = static_cast<std::int64_t>(value.bits);
    if (value.kind == Constant::Kind::kFloat32) operand.kind = Operand::Kind::kFloat32;
    if (value.kind == Constant::Kind::kFloat64) operand.kind = Operand::Kind::kFloat64;
    return operand;
  }
  return parse_named(scopes);
}

// A register, a pair "%p1|%p2", "_", a special register or a symbol with an offset.
Operand ModuleParser::parse_named(Scopes& scopes) {
  Operand operand;
  const Token token = lexer_.peek();
  const auto name = lexer_.expect_identifier("an operand");
  if (name == "_") {
    operand.kind = Operand::Kind::kSink;
  } else if (operand.reg = scopes.find_register(name); operand.reg >= 0) {
    operand.kind = Operand::Kind::kRegister;
    if (lexer_.peek().is(Token::Kind::kDotWord))
      throw SyntaxError{token.line, fmt::format("the part '.{}' of the register {} is not supported",
                                                lexer_.peek().text, quoted(name))};
  } else if (is_special_register(name) && !scopes.find_symbol(name)) {
    operand.kind = Operand::Kind::kSpecial;
    operand.symbol = name;
    if (lexer_.peek().is(Token::Kind::kDotWord)) operand.symbol += "." + std::string(lexer_.next().text);
    return operand;
  } else {
    operand.kind = Operand::Kind::kSymbol;
    operand.symbol = symbol_named(name, token.line, scopes);
    if (lexer_.peek().is('+') || lexer_.peek().is('-')) operand.offset = read_integer(lexer_);
    return operand;
  }
  if (lexer_.accept('|')) {
    const Token second = lexer_.peek();
    if (second.text == "_")
      lexer_.next();
    else
      operand.pair_reg = parse_register(scopes);
  }
  return operand;
}

// `[%rd1+16]`, `[param0+0]`, `[symbol]`, `[64]`, `[%rd1, {%r1, %r2}]`
Operand ModuleParser::parse_address(Scopes& scopes) {
  Operand operand;
  operand.kind = Operand::Kind::kAddress;
  lexer_.expect('[');
  if (begins_constant(lexer_.peek())) {
    operand.integer = read_integer(lexer_);
  } else {
    const Token token = lexer_.peek();
    const auto name = lexer_.expect_identifier("an address");
    operand.reg = scopes.find_register(name);
    if (operand.reg < 0) operand.symbol = symbol_named(name, token.line, scopes);
    if (lexer_.peek().is('+') || lexer_.peek().is('-')) operand.offset = read_integer(lexer_);
  }
  if (lexer_.accept(',')) {
    lexer_.expect('{');
    operand.elements = parse_list(scopes, '}').elements;
  }
  lexer_.expect(']');
  return operand;
}

// What stands between braces or, in a call, parentheses; the opening one has been read.
Operand ModuleParser::parse_list(Scopes& scopes, char close) {
  Operand list;
  list.kind = Operand::Kind::kVector;
  while (!lexer_.accept(close)) {
    if (!list.elements.empty()) lexer_.expect(',');
    const auto& token = lexer_.peek();
    if (token.is('{') || token.is('[')) lexer_.unexpected("a register or a constant");
    if (list.elements.size() >= kMaxElements)
      throw SyntaxError{token.line, fmt::format("a list has more than {} elements", kMaxElements)};
    list.elements.push_back(parse_operand(scopes));
  }
  return list;
}

int ModuleParser::parse_register(Scopes& scopes) {
  const Token token = lexer_.peek();
  const auto name = lexer_.expect_identifier("a register");
  const int reg = scopes.find_register(name);
  if (reg < 0) throw SyntaxError{token.line, fmt::format("the register {} is not declared", quoted(name))};
  return reg;
}

std::string ModuleParser::parse_symbol(Scopes& scopes) {
  const int line = lexer_.peek().line;
  return symbol_named(lexer_.expect_identifier("a symbol"), line, scopes);
}

std::string ModuleParser::symbol_named(std::string_view name, int line, const Scopes& scopes) const {
  if (auto local = scopes.find_symbol(name)) return *std::move(local);
  std::string global(name);
  if (!module_names_.contains(global))
    throw SyntaxError{line, fmt::format("{} is not declared", quoted(name))};
  return global;
}

}  // namespace gpuprobe::ptx
