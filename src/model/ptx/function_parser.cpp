// Function bodies: scopes, labels, tables, instructions.
#include <fmt/format.h>

#include <climits>
#include <utility>

#include "model/ptx/constants.h"
#include "model/ptx/limits.h"
#include "model/ptx/module_parser.h"

namespace gpuprobe::ptx {

// The opening brace has been read.
void ModuleParser::parse_body(Function& function, Scopes& scopes) {
  const auto outermost = scopes.depth();
  for (;;) {
    const int line = lexer_.peek().line;
    if (lexer_.accept('{')) {
      if (scopes.depth() >= outermost + kMaxNesting)
        throw SyntaxError{line, fmt::format("'{{' nests deeper than {}", kMaxNesting)};
      scopes.open();
    } else if (lexer_.accept('}')) {
      const bool done = scopes.depth() == outermost;
      scopes.close();
      if (done) return;
    } else {
      parse_statement(function, scopes);
    }
  }
}

void ModuleParser::parse_statement(Function& function, Scopes& scopes) {
  const auto& token = lexer_.peek();
  if (lexer_.accept(';')) return;
  if (token.is(Token::Kind::kDotWord)) return parse_body_directive(function, scopes);
  if (token.is(Token::Kind::kIdentifier) && lexer_.peek_second().is(':'))
    return parse_labelled(function, scopes);
  if (token.is(Token::Kind::kIdentifier) || token.is('@')) return parse_instruction(function, scopes);
  lexer_.unexpected("an instruction");
}

void ModuleParser::parse_body_directive(Function& function, Scopes& scopes) {
  const Token token = lexer_.next();
  const auto word = token.text;
  if (word == "reg") return parse_registers(scopes);
  if (word == "loc") return parse_location(function);
  if (word == "file") return parse_file();
  if (word == "pragma") return skip_pragma();
  const std::pair<std::string_view, Space> spaces[] = {{"param", Space::kParam},
                                                       {"local", Space::kLocal},
                                                       {"shared", Space::kShared},
                                                       {"global", Space::kGlobal},
                                                       {"const", Space::kConst}};
  const bool is_extern = word == "extern";
  const auto named = is_extern ? lexer_.expect_dot_word("a state space") : word;
  for (const auto& [name, space] : spaces)
    if (named == name) return parse_variables(space, is_extern, &scopes, function.variables);
  throw SyntaxError{token.line,
                    fmt::format("the directive {} is not supported", quoted("." + std::string(named)))};
}

// `.reg .b32 %r<5>, %x;`
void ModuleParser::parse_registers(Scopes& scopes) {
  const auto head = parse_head(Space::kReg);
  if (head.vector > 1) throw SyntaxError{lexer_.peek().line, "vector registers are not supported"};
  do {
    const int line = lexer_.peek().line;
    const auto name = lexer_.expect_identifier("a register's name");
    if (lexer_.accept('<')) {
      scopes.declare_range(name, head.type, read_count(lexer_, kMaxRegisterRange, "a number of registers"),
                           line);
      lexer_.expect('>');
    } else {
      scopes.declare_register(name, head.type, line);
    }
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

// `.loc 1 9 3, function_name $L__info_string0, inlined_at 1 20 3`
void ModuleParser::parse_location(Function& function) {
  const auto read_position = [&]() -> Position {
    const auto file = static_cast<int>(read_count(lexer_, INT_MAX, "a file number"));
    const auto line = static_cast<int>(read_count(lexer_, INT_MAX, "a line number"));
    return {file, line, static_cast<int>(read_count(lexer_, INT_MAX, "a column"))};
  };
  const auto position = read_position();
  int caller = -1;
  std::string name;
  const auto add = [&](const Position& where) {
    const auto key = std::make_tuple(where, caller, name);
    const auto [known, is_new] = known_locations_.emplace(key, static_cast<int>(function.locations.size()));
    if (is_new)
      function.locations.push_back(
          {std::get<0>(where), std::get<1>(where), std::get<2>(where), caller, name});
    return known->second;
  };
  while (lexer_.accept(',')) {
    const int line = lexer_.peek().line;
    const auto word = lexer_.expect_identifier("'function_name' or 'inlined_at'");
    if (word == "function_name") {
      name = DebugStrings::read_reference(lexer_);
    } else if (word == "inlined_at") {
      // The call site has been given by a `.loc` of its own before, which may be inlined in turn.
      const auto site = read_position();
      const auto known = latest_location_.find(site);
      const auto callee = std::exchange(name, {});
      caller = known != latest_location_.end() ? known->second : add(site);
      name = callee;
    } else {
      throw SyntaxError{line,
                        fmt::format("'function_name' or 'inlined_at' was expected, not {}", quoted(word))};
    }
  }
  location_ = add(position);
  latest_location_[position] = location_;
}

// `$L__BB0_1:`, `table: .branchtargets $L1, $L2;`, `calls: .calltargets f, g;`, `prototype_0 : .callprototype
// ... ;`
void ModuleParser::parse_labelled(Function& function, Scopes& scopes) {
  const Token name = lexer_.next();
  lexer_.expect(':');
  if (lexer_.accept_dot("branchtargets")) {
    const auto table = scopes.declare_symbol(name.text, name.line);
    do {
      const int line = lexer_.peek().line;
      scopes.use_label(lexer_.expect_identifier("a label"), line, table);
    } while (lexer_.accept(','));
    lexer_.expect(';');
  } else if (lexer_.accept_dot("calltargets")) {
    auto& targets = function.call_targets[scopes.declare_symbol(name.text, name.line)];
    do targets.push_back(parse_symbol(scopes));
    while (lexer_.accept(','));
    lexer_.expect(';');
  } else if (lexer_.accept_dot("callprototype")) {
    Prototype prototype;
    if (lexer_.peek().is('(')) prototype.returns = parse_parameters(nullptr);
    lexer_.expect_identifier("'_'");
    if (lexer_.peek().is('(')) prototype.parameters = parse_parameters(nullptr);
    Function bounds;
    parse_bounds(bounds);
    prototype.is_noreturn = bounds.is_noreturn;
    lexer_.expect(';');
    function.prototypes[scopes.declare_symbol(name.text, name.line)] = std::move(prototype);
  } else {
    scopes.declare_label(name.text, name.line);
  }
}

void ModuleParser::parse_instruction(Function& function, Scopes& scopes) {
  Instruction instruction;
  instruction.location = location_;
  if (lexer_.accept('@')) {
    instruction.guard_negated = lexer_.accept('!');
    const Token token = lexer_.peek();
    instruction.guard = parse_register(scopes);
    if (function.registers[static_cast<std::size_t>(instruction.guard)].type != "pred")
      throw SyntaxError{token.line, fmt::format("the guard {} is not a predicate", quoted(token.text))};
  }
  instruction.text_line = lexer_.peek().line;
  instruction.opcode = lexer_.expect_identifier("an instruction");
  while (lexer_.peek().is(Token::Kind::kDotWord)) instruction.modifiers.emplace_back(lexer_.next().text);
  const int index = static_cast<int>(function.body.size());
  const bool is_jump = instruction.opcode == "bra";
  if (instruction.opcode == "call") {
    parse_call(function, scopes, instruction);
  } else if (!lexer_.peek().is(';')) {
    do {
      if (instruction.operands.size() >= kMaxOperands)
        throw SyntaxError{instruction.text_line,
                          fmt::format("an instruction has more than {} operands", kMaxOperands)};
      if (!is_jump) {
        instruction.operands.push_back(parse_operand(scopes));
        continue;
      }
      const int line = lexer_.peek().line;
      scopes.use_label(lexer_.expect_identifier("a label"), line, index,
                       static_cast<int>(instruction.operands.size()));
      instruction.operands.emplace_back().kind = Operand::Kind::kLabel;
    } while (lexer_.accept(','));
  }
  lexer_.expect(';');
  if (is_jump && instruction.operands.size() != 1)
    throw SyntaxError{instruction.text_line, "bra needs one label"};
  if (instruction.opcode == "brx" &&
      (instruction.operands.size() != 2 || !function.branch_targets.contains(instruction.operands[1].symbol)))
    throw SyntaxError{instruction.text_line,
                      "brx.idx needs a register and the name of a .branchtargets table"};
  function.body.push_back(std::move(instruction));
}

// `call.uni (retval0), f, (param0, param1);`  `call (%r1), %rd2, (param0), prototype_0;`  `call f;`
void ModuleParser::parse_call(const Function& function, Scopes& scopes, Instruction& instruction) {
  const auto empty_list = [] {
    Operand operand;
    operand.kind = Operand::Kind::kVector;
    return operand;
  };
  instruction.operands.push_back(empty_list());
  if (lexer_.accept('(')) {
    instruction.operands.back() = parse_list(scopes, ')');
    lexer_.expect(',');
  }
  const int line = lexer_.peek().line;
  instruction.operands.push_back(parse_named(scopes));
  const auto kind = instruction.operands.back().kind;
  if (kind != Operand::Kind::kSymbol && kind != Operand::Kind::kRegister)
    throw SyntaxError{line, "call needs the name of a function or a register"};
  instruction.operands.push_back(empty_list());
  if (!lexer_.accept(',')) return;
  if (lexer_.accept('(')) {
    instruction.operands.back() = parse_list(scopes, ')');
    if (!lexer_.accept(',')) return;
  }
  Operand table;
  table.kind = Operand::Kind::kSymbol;
  table.symbol = parse_symbol(scopes);
  if (!function.prototypes.contains(table.symbol) && !function.call_targets.contains(table.symbol))
    throw SyntaxError{line, quoted(table.symbol) + " is neither a .callprototype nor a .calltargets table"};
  instruction.operands.push_back(std::move(table));
}

}  // namespace gpuprobe::ptx
