#include "kernels/user/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace gpuprobe::user {
namespace {

// Deeper nesting than any launch needs, shallow enough that a hostile expression cannot exhaust the stack.
constexpr int kMaxDepth = 64;

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}

/// Recursive descent with precedence climbing; every method leaves `position_` after what it consumed.
class Evaluator {
 public:
  Evaluator(std::string_view text, const Variables& variables) : text_(text), variables_(variables) {}

  Result<Number> run() {
    Result<Number> value = sum();
    if (!value) return value;
    skip_space();
    if (position_ != text_.size()) return error("unexpected text");
    return value;
  }

 private:
  Result<Number> sum() {
    Result<Number> left = product();
    while (left) {
      skip_space();
      const char op = peek();
      if (op != '+' && op != '-') break;
      const std::size_t at = position_++;
      Result<Number> right = product();
      if (!right) return right;
      left = combine(op, *left, *right, at);
    }
    return left;
  }

  Result<Number> product() {
    Result<Number> left = unary();
    while (left) {
      skip_space();
      const char op = peek();
      if (op != '*' && op != '/' && op != '%') break;
      const std::size_t at = position_++;
      Result<Number> right = unary();
      if (!right) return right;
      left = combine(op, *left, *right, at);
    }
    return left;
  }

  Result<Number> unary() {
    skip_space();
    if (peek() != '-') return primary();
    const std::size_t at = position_++;
    if (++depth_ > kMaxDepth) return error("nested too deeply");
    Result<Number> value = unary();
    --depth_;
    if (!value) return value;
    return combine('-', Number{std::int64_t{0}}, *value, at);
  }

  Result<Number> primary() {
    skip_space();
    if (position_ == text_.size()) return error("a value is missing");
    if (peek() == '(') {
      ++position_;
      if (++depth_ > kMaxDepth) return error("nested too deeply");
      Result<Number> value = sum();
      --depth_;
      if (!value) return value;
      if (!accept(')')) return error("')' is missing");
      return value;
    }
    if (is_digit(peek()) || peek() == '.') return number();
    if (is_name_start(peek())) return name();
    return error("unexpected character");
  }

  Result<Number> number() {
    const char* begin = text_.data() + position_;
    const char* end = text_.data() + text_.size();
    if (end - begin >= 2 && begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X')) {
      std::int64_t value = 0;
      const auto [after, status] = std::from_chars(begin + 2, end, value, 16);
      if (status != std::errc{} || after == begin + 2) return error("not a hexadecimal number of 64 bits");
      return finish_number(Number{value}, after);
    }
    const char* scan = begin;
    bool is_float = false;
    while (scan != end && (is_digit(*scan) || *scan == '.' || *scan == 'e' || *scan == 'E' ||
                           ((*scan == '+' || *scan == '-') && (scan[-1] == 'e' || scan[-1] == 'E')))) {
      is_float = is_float || !is_digit(*scan);
      ++scan;
    }
    if (is_float) {
      double value = 0;
      const auto [after, status] = std::from_chars(begin, scan, value);
      if (status != std::errc{} || after != scan) return error("not a number");
      return finish_number(Number{value}, after);
    }
    std::int64_t value = 0;
    const auto [after, status] = std::from_chars(begin, scan, value);
    if (status != std::errc{}) return error("the number does not fit in 64 bits");
    return finish_number(Number{value}, after);
  }

  Result<Number> finish_number(Number value, const char* after) {
    const std::size_t end = static_cast<std::size_t>(after - text_.data());
    if (end < text_.size() && is_name(text_[end])) return error("not a number");
    position_ = end;
    return value;
  }

  Result<Number> name() {
    const std::size_t start = position_;
    while (position_ < text_.size() && is_name(text_[position_])) ++position_;
    const std::string_view word = text_.substr(start, position_ - start);
    skip_space();
    if (peek() == '(') return call(word, start);
    const auto found = variables_.find(word);
    if (found != variables_.end()) return found->second;
    position_ = start;
    return error(fmt::format("there is no variable '{}'{}", word, known_variables()));
  }

  Result<Number> call(std::string_view function, std::size_t start) {
    ++position_;
    if (++depth_ > kMaxDepth) return error("nested too deeply");
    std::vector<Number> arguments;
    do {
      Result<Number> value = sum();
      if (!value) return value;
      arguments.push_back(*value);
    } while (accept(','));
    --depth_;
    if (!accept(')')) return error("')' is missing");
    if (function == "ceildiv") {
      if (arguments.size() != 2) return error_at(start, "ceildiv takes two values");
      return ceildiv(arguments[0], arguments[1], start);
    }
    if (function != "min" && function != "max")
      return error_at(start, fmt::format("there is no function '{}' (ceildiv, min, max)", function));
    Number best = arguments[0];
    for (const Number& candidate : arguments) {
      const bool less = as_double(candidate) < as_double(best);
      if (function == "min" ? less : as_double(candidate) > as_double(best)) best = candidate;
    }
    return best;
  }

  Result<Number> ceildiv(const Number& a, const Number& b, std::size_t at) {
    const auto* x = std::get_if<std::int64_t>(&a);
    const auto* y = std::get_if<std::int64_t>(&b);
    if (!x || !y || *x < 0 || *y <= 0)
      return error_at(at, "ceildiv takes a non-negative and a positive integer");
    return Number{*x / *y + (*x % *y != 0 ? 1 : 0)};
  }

  Result<Number> combine(char op, const Number& a, const Number& b, std::size_t at) {
    const auto* x = std::get_if<std::int64_t>(&a);
    const auto* y = std::get_if<std::int64_t>(&b);
    if (x && y) return combine_integers(op, *x, *y, at);
    const double u = as_double(a);
    const double v = as_double(b);
    double result = 0;
    switch (op) {
      case '+':
        result = u + v;
        break;
      case '-':
        result = u - v;
        break;
      case '*':
        result = u * v;
        break;
      case '/':
        result = u / v;
        break;
      default:
        return error_at(at, "% takes integers");
    }
    if (!std::isfinite(result)) return error_at(at, "the result is not a finite number");
    return Number{result};
  }

  Result<Number> combine_integers(char op, std::int64_t x, std::int64_t y, std::size_t at) {
    std::int64_t result = 0;
    bool overflow = false;
    switch (op) {
      case '+':
        overflow = __builtin_add_overflow(x, y, &result);
        break;
      case '-':
        overflow = __builtin_sub_overflow(x, y, &result);
        break;
      case '*':
        overflow = __builtin_mul_overflow(x, y, &result);
        break;
      default:
        if (y == 0) return error_at(at, "division by zero");
        if (x == INT64_MIN && y == -1) return error_at(at, "the result does not fit in 64 bits");
        result = op == '/' ? x / y : x % y;
    }
    if (overflow) return error_at(at, "the result does not fit in 64 bits");
    return Number{result};
  }

  std::string known_variables() const {
    if (variables_.empty()) return " (no variables are defined)";
    std::string list;
    for (const auto& [variable, value] : variables_) list += (list.empty() ? " (known: " : ", ") + variable;
    return list + ")";
  }

  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
  }
  bool accept(char c) {
    skip_space();
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  tl::unexpected<Error> error(const std::string& why) const { return error_at(position_, why); }
  tl::unexpected<Error> error_at(std::size_t at, const std::string& why) const {
    return fail(ErrorCode::kUsage,
                fmt::format("cannot evaluate '{}': {} at character {}", text_.substr(0, 200), why, at + 1),
                "Expressions are + - * / % ( ) ceildiv(a,b) min(a,b) max(a,b) over numbers and the variables "
                "of vars.");
  }

  std::string_view text_;
  const Variables& variables_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<Number> evaluate(std::string_view text, const Variables& variables) {
  return Evaluator(text, variables).run();
}

Result<std::int64_t> evaluate_integer(std::string_view text, const Variables& variables,
                                      std::string_view what, std::int64_t minimum, std::int64_t maximum) {
  const Result<Number> value = evaluate(text, variables);
  if (!value) {
    Error error = value.error();
    error.what = fmt::format("{}: {}", what, error.what);
    return tl::unexpected<Error>(std::move(error));
  }
  const auto* integer = std::get_if<std::int64_t>(&*value);
  if (!integer || *integer < minimum || *integer > maximum)
    return fail(ErrorCode::kUsage, fmt::format("{} is {} ('{}')", what, to_string(*value), text),
                fmt::format("It must be a whole number from {} to {}.", minimum, maximum));
  return *integer;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_name_start(text.front()) && std::all_of(text.begin(), text.end(), is_name);
}

double as_double(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

std::string to_string(const Number& number) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

}  // namespace gpuprobe::user
