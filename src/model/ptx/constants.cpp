#include "model/ptx/constants.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "model/ptx/limits.h"

namespace gpuprobe::ptx {
namespace {

std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value, base);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<Constant> integer(std::string_view text, int base) {
  if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
  const auto value = digits(text, base);
  if (!value) return std::nullopt;
  return Constant{Constant::Kind::kInteger, *value};
}

// How tightly an operator binds; 0 = not one.
int precedence(const Token& token, const Token& second) {
  if (!token.is(Token::Kind::kPunctuation)) return 0;
  const bool twice = second.is(token.text[0]) && second.text.data() == token.text.data() + 1;
  switch (token.text[0]) {
    case '|':
      return twice ? 0 : 1;
    case '^':
      return 2;
    case '&':
      return twice ? 0 : 3;
    case '<':
    case '>':
      return twice ? 4 : 0;
    case '+':
    case '-':
      return 5;
    case '*':
    case '/':
    case '%':
      return 6;
    default:
      return 0;
  }
}

class ExpressionReader {
 public:
  explicit ExpressionReader(Lexer& lexer) : lexer_(lexer) {}

  Constant read(int weakest) {
    Constant left = operand();
    for (;;) {
      const int binding = precedence(lexer_.peek(), lexer_.peek_second());
      if (binding == 0 || binding < weakest) return left;
      const Token operation = lexer_.next();
      if (binding == 4) lexer_.next();
      left = apply(operation, left, read(binding + 1));
    }
  }

 private:
  // Counts the nesting of operands, which is all that recursion here can come from.
  struct Level {
    Level(std::size_t& level, const Lexer& lexer) : depth(level) {
      if (++depth > kMaxExpressionDepth)
        throw SyntaxError{lexer.peek().line,
                          fmt::format("a constant nests deeper than {}", kMaxExpressionDepth)};
    }
    Level(const Level&) = delete;
    ~Level() { --depth; }
    std::size_t& depth;
  };

  Constant operand() {
    const Level level(depth_, lexer_);
    if (lexer_.accept('(')) {
      const Constant inner = read(1);
      lexer_.expect(')');
      return inner;
    }
    if (lexer_.accept('+')) return operand();
    if (lexer_.accept('-')) {
      Constant value = operand();
      if (value.kind == Constant::Kind::kInteger) value.bits = 0 - value.bits;
      if (value.kind == Constant::Kind::kFloat32) value.bits ^= std::uint64_t{1} << 31;
      if (value.kind == Constant::Kind::kFloat64) value.bits ^= std::uint64_t{1} << 63;
      return value;
    }
    if (lexer_.peek().is('~') || lexer_.peek().is('!')) {
      const bool complement = lexer_.next().is('~');
      const Constant value = operand();
      if (value.kind != Constant::Kind::kInteger) refuse_float();
      return {Constant::Kind::kInteger, complement ? ~value.bits : std::uint64_t{value.bits == 0}};
    }
    const Token token = lexer_.peek();
    if (token.is(Token::Kind::kIdentifier) && token.text == "WARP_SZ") {
      lexer_.next();
      return {Constant::Kind::kInteger, 32};
    }
    if (!token.is(Token::Kind::kNumber)) lexer_.unexpected("a number");
    const auto value = parse_number(token.text);
    if (!value) throw SyntaxError{token.line, quoted(token.text) + " is not a number of at most 64 bits"};
    lexer_.next();
    return *value;
  }

  Constant apply(const Token& operation, const Constant& left, const Constant& right) {
    if (left.kind != Constant::Kind::kInteger || right.kind != Constant::Kind::kInteger) refuse_float();
    const std::uint64_t a = left.bits;
    const std::uint64_t b = right.bits;
    std::uint64_t value = 0;
    switch (operation.text[0]) {
      case '|':
        value = a | b;
        break;
      case '^':
        value = a ^ b;
        break;
      case '&':
        value = a & b;
        break;
      case '<':
        value = b < 64 ? a << b : 0;
        break;
      case '>':
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (b < 63 ? b : 63));
        break;
      case '+':
        value = a + b;
        break;
      case '-':
        value = a - b;
        break;
      case '*':
        value = a * b;
        break;
      default:
        value = divide(operation, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
    }
    return {Constant::Kind::kInteger, value};
  }

  std::uint64_t divide(const Token& operation, std::int64_t a, std::int64_t b) {
    if (b == 0) throw SyntaxError{operation.line, "a constant is divided by zero"};
    // -1 apart: the smallest integer over -1 overflows.
    if (b == -1) return operation.is('/') ? 0 - static_cast<std::uint64_t>(a) : 0;
    return static_cast<std::uint64_t>(operation.is('/') ? a / b : a % b);
  }

  [[noreturn]] void refuse_float() {
    throw SyntaxError{lexer_.peek().line, "only a sign may stand before a floating-point constant"};
  }

  Lexer& lexer_;
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<Constant> parse_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char mark = text.size() > 1 && text[0] == '0' ? text[1] : ' ';
  const auto tail = text.substr(text.size() > 2 ? 2 : text.size());
  switch (mark) {
    case 'x':
    case 'X':
      return integer(tail, 16);
    case 'b':
    case 'B':
      return integer(tail, 2);
    case 'f':
    case 'F':
    case 'd':
    case 'D': {
      const bool single = mark == 'f' || mark == 'F';
      if (tail.size() != (single ? 8u : 16u)) return std::nullopt;
      const auto bits = digits(tail, 16);
      if (!bits) return std::nullopt;
      return Constant{single ? Constant::Kind::kFloat32 : Constant::Kind::kFloat64, *bits};
    }
    default:
      break;
  }
  if (text.find_first_of(".eE") == std::string_view::npos)
    return text.size() > 1 && text[0] == '0' && text[1] != 'U' ? integer(text.substr(1), 8)
                                                               : integer(text, 10);
  double value = 0;
  const auto end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return Constant{Constant::Kind::kFloat64, std::bit_cast<std::uint64_t>(value)};
}

Constant read_constant(Lexer& lexer) {
  return ExpressionReader(lexer).read(1);
}

std::int64_t read_integer(Lexer& lexer) {
  const int line = lexer.peek().line;
  const Constant value = read_constant(lexer);
  if (value.kind != Constant::Kind::kInteger) throw SyntaxError{line, "an integer was expected, not a float"};
  return static_cast<std::int64_t>(value.bits);
}

std::uint64_t read_count(Lexer& lexer, std::uint64_t most, std::string_view wanted) {
  if (!lexer.peek().is(Token::Kind::kNumber)) lexer.unexpected(wanted);
  const Token token = lexer.next();
  const auto value = parse_number(token.text);
  if (!value || value->kind != Constant::Kind::kInteger || value->bits > most)
    throw SyntaxError{token.line, fmt::format("{} must be an integer of at most {}, not {}", wanted, most,
                                              quoted(token.text))};
  return value->bits;
}

bool begins_constant(const Token& token) {
  if (token.is(Token::Kind::kNumber)) return true;
  if (token.is(Token::Kind::kIdentifier)) return token.text == "WARP_SZ";
  return token.is('-') || token.is('+') || token.is('~') || token.is('!') || token.is('(');
}

}  // namespace gpuprobe::ptx
