#include "model/ptx/module_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "model/ptx/constants.h"
#include "model/ptx/limits.h"

namespace gpuprobe::ptx {
namespace {

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '\\' || text[i + 1] == '"')) ++i;
    result += text[i];
  }
  return result;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

}  // namespace

Module ModuleParser::parse() {
  while (!lexer_.peek().is(Token::Kind::kEnd)) parse_module_directive();
  // Only now: variables may point at one another in a circle.
  for (const auto& [symbol, line] : initial_symbols_)
    if (!module_names_.contains(symbol)) throw SyntaxError{line, quoted(symbol) + " is not declared"};
  for (auto& function : module_.functions)
    for (auto& location : function.locations) location.function = debug_strings_.text(location.function);
  return std::move(module_);
}

void ModuleParser::parse_module_directive() {
  if (lexer_.accept(';')) return;
  const Token token = lexer_.peek();
  if (!token.is(Token::Kind::kDotWord)) lexer_.unexpected("a directive");
  lexer_.next();
  const auto word = token.text;
  if (word == "version") {
    if (!lexer_.peek().is(Token::Kind::kNumber)) lexer_.unexpected("a version");
    module_.version = lexer_.next().text;
  } else if (word == "target") {
    module_.target = lexer_.expect_identifier("a target");
    while (lexer_.accept(',')) lexer_.expect_identifier("a target option");
  } else if (word == "address_size") {
    module_.address_size = static_cast<int>(read_count(lexer_, 64, "an address size"));
    if (module_.address_size != 64)
      throw SyntaxError{token.line, "only 64-bit addresses are supported (.address_size 64)"};
  } else if (word == "file") {
    parse_file();
  } else if (word == "section") {
    debug_strings_.read_section(lexer_, lexer_.expect_dot_word("a section's name"));
  } else if (word == "pragma") {
    skip_pragma();
  } else if (word == "alias") {
    parse_alias();
  } else {
    // .visible .weak .extern .common, then what they are about.
    bool is_extern = false;
    auto kind = word;
    while (kind == "visible" || kind == "weak" || kind == "extern" || kind == "common") {
      is_extern = is_extern || kind == "extern";
      kind = lexer_.expect_dot_word("'.entry', '.func' or a state space");
    }
    if (kind == "entry" || kind == "func") return parse_function(kind == "entry");
    const std::pair<std::string_view, Space> spaces[] = {{"global", Space::kGlobal},
                                                         {"const", Space::kConst},
                                                         {"shared", Space::kShared},
                                                         {"local", Space::kLocal}};
    for (const auto& [name, space] : spaces)
      if (kind == name) {
        std::vector<Variable> variables;
        parse_variables(space, is_extern, nullptr, variables);
        for (auto& variable : variables) add_module_variable(std::move(variable), token.line);
        return;
      }
    throw SyntaxError{token.line,
                      fmt::format("the directive {} is not supported", quoted("." + std::string(kind)))};
  }
}

void ModuleParser::parse_file() {
  const auto number = static_cast<int>(read_count(lexer_, INT_MAX, "a file number"));
  if (!lexer_.peek().is(Token::Kind::kString)) lexer_.unexpected("a file name");
  module_.files[number] = unescaped(lexer_.next().text);
  while (lexer_.accept(',')) read_count(lexer_, UINT64_MAX, "a file's time or size");
}

void ModuleParser::parse_alias() {
  const int line = lexer_.peek().line;
  const std::string alias(lexer_.expect_identifier("an alias"));
  lexer_.expect(',');
  const std::string target(lexer_.expect_identifier("a function"));
  lexer_.expect(';');
  if (!functions_.contains(target)) throw SyntaxError{line, quoted(target) + " is not declared"};
  module_.aliases[alias] = target;
  module_names_.insert(alias);
}

void ModuleParser::skip_pragma() {
  do {
    if (!lexer_.peek().is(Token::Kind::kString)) lexer_.unexpected("a pragma's text");
    lexer_.next();
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

// `.attribute(.managed)`, `.attribute(.unified(1,2))`
void ModuleParser::skip_attribute() {
  lexer_.expect('(');
  for (int open = 1; open > 0;) {
    if (lexer_.peek().is(Token::Kind::kEnd)) lexer_.unexpected("')'");
    const Token token = lexer_.next();
    if (token.is('(')) ++open;
    if (token.is(')')) --open;
  }
}

void ModuleParser::parse_function(bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  location_ = -1;
  latest_location_.clear();
  known_locations_.clear();
  while (lexer_.peek().is(Token::Kind::kDotWord)) {
    const auto word = lexer_.next().text;
    if (word == "attribute")
      skip_attribute();
    else if (word == "noreturn")
      function.is_noreturn = true;
    else
      throw SyntaxError{lexer_.peek().line,
                        fmt::format("'.{}' was not expected before a function's name", word)};
  }
  Scopes scopes(function, module_names_);
  scopes.open();
  if (!is_entry && lexer_.peek().is('(')) function.returns = parse_parameters(&scopes);
  const int line = lexer_.peek().line;
  function.name = lexer_.expect_identifier("a function's name");
  if (lexer_.peek().is('(')) function.parameters = parse_parameters(&scopes);
  parse_bounds(function);
  module_names_.insert(function.name);  // it may call itself
  if (lexer_.accept(';')) {
    function.is_declaration = true;
  } else {
    lexer_.expect('{');
    parse_body(function, scopes);
  }
  add_function(std::move(function), line);
}

// `.maxntid 256, 1, 1`, `.minnctapersm 2`, `.noreturn`, `.explicitcluster` ...
void ModuleParser::parse_bounds(Function& function) {
  while (lexer_.peek().is(Token::Kind::kDotWord)) {
    const std::string word(lexer_.next().text);
    if (word == "pragma") {
      skip_pragma();
      continue;
    }
    if (word == "attribute") {
      skip_attribute();
      continue;
    }
    if (word == "noreturn") function.is_noreturn = true;
    auto& values = function.bounds[word];
    values.clear();
    while (lexer_.peek().is(Token::Kind::kNumber)) {
      values.push_back(static_cast<std::uint32_t>(read_count(lexer_, UINT32_MAX, "a bound")));
      if (!lexer_.accept(',')) break;
      if (!lexer_.peek().is(Token::Kind::kNumber)) lexer_.unexpected("a number");
    }
  }
}

void ModuleParser::add_function(Function function, int line) {
  const auto known = functions_.find(function.name);
  if (known == functions_.end()) {
    if (variables_.contains(function.name))
      throw SyntaxError{line, quoted(function.name) + " is declared as a variable and as a function"};
    functions_.emplace(function.name, module_.functions.size());
    module_.functions.push_back(std::move(function));
    return;
  }
  auto& earlier = module_.functions[known->second];
  if (function.is_declaration) return;
  if (!earlier.is_declaration)
    throw SyntaxError{line, fmt::format("{} is defined twice", quoted(function.name))};
  earlier = std::move(function);
}

std::vector<Parameter> ModuleParser::parse_parameters(Scopes* scopes) {
  std::vector<Parameter> parameters;
  lexer_.expect('(');
  std::uint64_t end = 0;
  while (!lexer_.accept(')')) {
    if (!parameters.empty()) lexer_.expect(',');
    const int line = lexer_.peek().line;
    auto parameter = parse_parameter(scopes);
    const auto offset = round_up(end, parameter.align);
    end = offset + parameter.bytes;
    if (end > kMaxLocalBytes)
      throw SyntaxError{line, fmt::format("parameters exceed {} bytes", kMaxLocalBytes)};
    parameter.offset = static_cast<std::uint32_t>(offset);
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

// `.param .u64 .ptr .global .align 16 p`, `.param .align 8 .b8 p[24]`, `.reg .b32 %r0`, `.param .b64 _`
Parameter ModuleParser::parse_parameter(Scopes* scopes) {
  const bool is_register = lexer_.accept_dot("reg");
  if (!is_register && !lexer_.accept_dot("param")) lexer_.unexpected("'.param' or '.reg'");
  const auto head = parse_head(Space::kParam);
  const int line = lexer_.peek().line;
  const auto name = lexer_.expect_identifier("a parameter's name");
  const auto dimensions = parse_dimensions();

  Parameter parameter;
  parameter.name = name;
  parameter.type = head.type;
  const std::uint64_t element = std::uint64_t{head.type_bytes} * head.vector;
  parameter.align = static_cast<std::uint32_t>(std::max<std::uint64_t>({head.align, element, 1}));
  const auto count = dimensions.is_unsized ? 0 : dimensions.product;
  if (count > kMaxLocalBytes || element * count > kMaxLocalBytes)
    throw SyntaxError{line, fmt::format("the parameter {} exceeds {} bytes", quoted(name), kMaxLocalBytes)};
  parameter.bytes = static_cast<std::uint32_t>(element * count);
  if (!scopes || name == "_") return parameter;
  if (is_register)
    parameter.reg = scopes->declare_register(name, head.type, line);
  else
    scopes->declare_parameter(name, line);
  return parameter;
}

}  // namespace gpuprobe::ptx
