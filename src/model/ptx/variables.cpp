// Declarations of variables and their initial values.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "model/ptx/constants.h"
#include "model/ptx/limits.h"
#include "model/ptx/module_parser.h"
#include "model/ptx/types.h"

namespace gpuprobe::ptx {
namespace {

std::uint64_t most_bytes(Space space) {
  switch (space) {
    case Space::kShared:
      return kMaxSharedBytes;
    case Space::kConst:
      return kMaxConstBytes;
    case Space::kLocal:
    case Space::kParam:
      return kMaxLocalBytes;
    default:
      return kMaxGlobalBytes;
  }
}

// The bits that a constant leaves in an element of the given type.
std::uint64_t stored_bits(const Constant& value, std::string_view type, int line) {
  const bool to_float = type == "f32" || type == "f64";
  if (value.kind == Constant::Kind::kInteger && !to_float) return value.bits;
  if (!to_float && !type.starts_with('b'))
    throw SyntaxError{line, fmt::format("a float cannot initialise an element of type .{}", type)};
  double number = 0;
  if (value.kind == Constant::Kind::kInteger)
    number = static_cast<double>(static_cast<std::int64_t>(value.bits));
  else if (value.kind == Constant::Kind::kFloat64)
    number = std::bit_cast<double>(value.bits);
  else if (type != "f64")
    return value.bits;  // keeps the pattern of a NaN
  else
    number = std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
  if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  return value.kind == Constant::Kind::kFloat64 ? value.bits : std::bit_cast<std::uint64_t>(number);
}

}  // namespace

// `.align 8 .b8`, `.attribute(.managed) .v4 .f32`, `.u64 .ptr .global .align 16`: up to the first name.
DeclarationHead ModuleParser::parse_head(Space space) {
  DeclarationHead head;
  head.space = space;
  bool pointer = false;
  while (lexer_.peek().is(Token::Kind::kDotWord)) {
    const Token token = lexer_.next();
    if (token.text == "align") {
      const auto align = read_count(lexer_, kMaxAlign, "an alignment");
      if (!std::has_single_bit(align)) throw SyntaxError{token.line, "an alignment must be a power of two"};
      if (!pointer) head.align = align;  // behind .ptr it is that of the target
    } else if (token.text == "attribute") {
      skip_attribute();
    } else if (token.text == "ptr") {
      pointer = true;
    } else if (token.text == "v2" || token.text == "v4") {
      head.vector = token.text == "v2" ? 2 : 4;
    } else if (const auto bytes = type_bytes(token.text)) {
      head.type = token.text;
      head.type_bytes = *bytes;
    } else if (!pointer) {  // behind .ptr: the space of the target
      throw SyntaxError{token.line,
                        fmt::format("the type {} is not supported", quoted("." + std::string(token.text)))};
    }
  }
  if (head.type.empty()) lexer_.unexpected("a type");
  return head;
}

Dimensions ModuleParser::parse_dimensions() {
  Dimensions dimensions;
  while (lexer_.peek().is('[')) {
    const int line = lexer_.next().line;
    if (dimensions.sizes.size() + dimensions.is_unsized >= kMaxDimensions)
      throw SyntaxError{line, fmt::format("an array has more than {} dimensions", kMaxDimensions)};
    if (lexer_.accept(']')) {
      if (!dimensions.sizes.empty() || dimensions.is_unsized)
        throw SyntaxError{line, "only the first dimension of an array may be empty"};
      dimensions.is_unsized = true;
      continue;
    }
    const auto size = read_integer(lexer_);
    lexer_.expect(']');
    if (size < 0 || static_cast<std::uint64_t>(size) > kMaxGlobalBytes)
      throw SyntaxError{line, fmt::format("an array of {} elements is not possible", size)};
    dimensions.sizes.push_back(static_cast<std::uint64_t>(size));
    // Both factors are at most 2^40, and 0 stays 0.
    if (size > 0 && dimensions.product > kMaxGlobalBytes / static_cast<std::uint64_t>(size))
      throw SyntaxError{line, fmt::format("an array exceeds {} elements", kMaxGlobalBytes)};
    dimensions.product *= static_cast<std::uint64_t>(size);
  }
  return dimensions;
}

void ModuleParser::parse_variables(Space space, bool is_extern, Scopes* scopes, std::vector<Variable>& out) {
  const auto head = parse_head(space);
  const int first_line = lexer_.peek().line;
  if (head.type_bytes == 0) throw SyntaxError{first_line, "a predicate cannot be kept in memory"};
  const std::uint64_t element = std::uint64_t{head.type_bytes} * head.vector;
  do {
    Variable variable;
    const int line = lexer_.peek().line;
    const auto name = lexer_.expect_identifier("a variable's name");
    auto dimensions = parse_dimensions();
    variable.space = space;
    variable.type = head.type;
    variable.align = static_cast<std::uint32_t>(std::max(head.align, element));
    variable.is_extern = is_extern;
    if (head.vector > 1) dimensions.sizes.push_back(head.vector);
    if (lexer_.accept('=')) parse_initial(variable, head, dimensions);
    // One with "[]" has no size of its own, unless its initial values gave it one.
    const auto count = dimensions.is_unsized ? 0 : dimensions.product;
    if (count > most_bytes(space) / element)
      throw SyntaxError{line,
                        fmt::format("the variable {} exceeds {} bytes", quoted(name), most_bytes(space))};
    variable.bytes = element * count;
    variable.name = scopes ? scopes->declare_symbol(name, line) : std::string(name);
    out.push_back(std::move(variable));
  } while (lexer_.accept(','));
  lexer_.expect(';');
}

void ModuleParser::parse_initial(Variable& variable, const DeclarationHead& head, Dimensions& dimensions) {
  const int line = lexer_.peek().line;
  std::uint64_t room = dimensions.product * head.vector;  // in elements of head.type
  if (dimensions.is_unsized) {
    room = kMaxInitialBytes;
    dimensions.sizes.insert(dimensions.sizes.begin(), room);
  }
  std::uint64_t used = 0;
  if (lexer_.peek().is('{')) {
    parse_initial_level(variable, head, dimensions, 0, 0, room, used);
  } else {
    if (room == 0) throw SyntaxError{line, "an empty array cannot have an initial value"};
    parse_initial_value(variable, head, 0);
    used = 1;
  }
  if (!dimensions.is_unsized) return;
  // The first dimension is what its values need.
  const std::uint64_t row = std::max<std::uint64_t>(1, dimensions.product * head.vector);
  dimensions.is_unsized = false;
  dimensions.product = (used + row - 1) / row * dimensions.product;
}

// One pair of braces: the values of `room` elements from `first` on. Recursion is as deep as the array's
// dimensions.
void ModuleParser::parse_initial_level(Variable& variable, const DeclarationHead& head,
                                       const Dimensions& dimensions, std::size_t level, std::uint64_t first,
                                       std::uint64_t room, std::uint64_t& used) {
  const int line = lexer_.peek().line;
  lexer_.expect('{');
  std::uint64_t inner = 1;  // elements of one entry in braces
  for (std::size_t i = level + 1; i < dimensions.sizes.size(); ++i) inner *= dimensions.sizes[i];
  std::uint64_t next = 0;
  while (!lexer_.accept('}')) {
    if (next > 0 || lexer_.peek().is(',')) lexer_.expect(',');
    const bool nested = lexer_.peek().is('{');
    if (nested && level + 1 >= dimensions.sizes.size())
      throw SyntaxError{lexer_.peek().line, "the initial values have more dimensions than the array"};
    if (nested) next = (next + inner - 1) / std::max<std::uint64_t>(inner, 1) * inner;
    const auto needed = nested ? inner : 1;
    if (needed == 0 || next > room || needed > room - next)
      throw SyntaxError{line, fmt::format("there are more initial values than the {} of the array", room)};
    if (nested) {
      parse_initial_level(variable, head, dimensions, level + 1, first + next, inner, used);
    } else {
      parse_initial_value(variable, head, (first + next) * head.type_bytes);
      used = std::max(used, first + next + 1);
    }
    next += needed;
    if (nested) used = std::max(used, first + next);
  }
}

// `7`, `0f3F800000`, `symbol+4`, `generic(symbol)+4`, `0xFF00(symbol)`
void ModuleParser::parse_initial_value(Variable& variable, const DeclarationHead& head,
                                       std::uint64_t offset) {
  const Token token = lexer_.peek();
  const std::uint64_t end = offset + head.type_bytes;
  const std::uint64_t held = variable.initial.size();
  if (end > held) {
    if (end - held > kMaxInitialBytes - initial_bytes_)
      throw SyntaxError{token.line, fmt::format("initial values exceed {} bytes", kMaxInitialBytes)};
    initial_bytes_ += end - held;
    variable.initial.resize(end);
  }
  const bool masked = token.is(Token::Kind::kNumber) && lexer_.peek_second().is('(');
  if (!masked && !(token.is(Token::Kind::kIdentifier) && token.text != "WARP_SZ")) {
    const auto bits = stored_bits(read_constant(lexer_), head.type, token.line);
    // An element of 16 bytes takes a 64-bit constant at most.
    for (std::uint32_t i = 0; i < std::min(head.type_bytes, 8U); ++i)
      variable.initial[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    return;
  }
  Variable::Relocation relocation;
  relocation.offset = offset;
  relocation.bytes = head.type_bytes;
  if (masked) {
    const auto mask = read_count(lexer_, UINT64_MAX, "a mask");
    lexer_.expect('(');
    relocation.shift = static_cast<std::uint32_t>(mask == 0 ? 0 : std::countr_zero(mask));
    const auto whole = head.type_bytes >= 8 ? UINT64_MAX : (std::uint64_t{1} << (8 * head.type_bytes)) - 1;
    if (mask >> relocation.shift != whole || relocation.shift % 8 != 0)
      throw SyntaxError{token.line,
                        fmt::format("the mask {} does not select one element", quoted(token.text))};
  }
  relocation.is_generic = lexer_.peek().text == "generic" && lexer_.peek_second().is('(');
  if (relocation.is_generic) {
    lexer_.next();
    lexer_.expect('(');
  }
  const int line = lexer_.peek().line;
  relocation.symbol = lexer_.expect_identifier("a symbol");
  initial_symbols_.emplace_back(relocation.symbol, line);
  const auto read_addend = [&] {
    if (lexer_.peek().is('+') || lexer_.peek().is('-')) relocation.addend = read_integer(lexer_);
  };
  read_addend();
  if (relocation.is_generic) {
    lexer_.expect(')');
    read_addend();
  }
  if (masked) lexer_.expect(')');
  variable.relocations.push_back(std::move(relocation));
}

void ModuleParser::add_module_variable(Variable variable, int line) {
  const auto known = variables_.find(variable.name);
  if (known == variables_.end()) {
    if (!module_names_.insert(variable.name).second)
      throw SyntaxError{line, quoted(variable.name) + " is declared as a function and as a variable"};
    variables_.emplace(variable.name, module_.variables.size());
    module_.variables.push_back(std::move(variable));
    return;
  }
  auto& earlier = module_.variables[known->second];
  if (variable.is_extern) return;
  if (!earlier.is_extern) throw SyntaxError{line, fmt::format("{} is defined twice", quoted(variable.name))};
  earlier = std::move(variable);
}

}  // namespace gpuprobe::ptx
