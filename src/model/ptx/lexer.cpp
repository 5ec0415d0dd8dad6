#include "model/ptx/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpuprobe::ptx {
namespace {

// The C locale's <cctype> answers for ASCII only, but takes no negative characters.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool starts_name(char c) {
  return is_letter(c) || c == '_' || c == '$' || c == '%';
}
bool continues_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string result = "'";
  for (char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~')
      result += c;
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return result + (text.size() > kLongest ? "...'" : "'");
}

Lexer::Lexer(std::string_view text) : text_(text) {
  ahead_[0] = scan();
  ahead_[1] = scan();
}

Token Lexer::next() {
  return std::exchange(ahead_[0], std::exchange(ahead_[1], scan()));
}

bool Lexer::accept(char punctuation) {
  if (!peek().is(punctuation)) return false;
  next();
  return true;
}

bool Lexer::accept_dot(std::string_view word) {
  if (!peek().is_dot(word)) return false;
  next();
  return true;
}

void Lexer::expect(char punctuation) {
  if (!accept(punctuation)) unexpected(quoted({&punctuation, 1}));
}

std::string_view Lexer::expect_identifier(std::string_view wanted) {
  if (!peek().is(Token::Kind::kIdentifier)) unexpected(wanted);
  return next().text;
}

std::string_view Lexer::expect_dot_word(std::string_view wanted) {
  if (!peek().is(Token::Kind::kDotWord)) unexpected(wanted);
  return next().text;
}

void Lexer::unexpected(std::string_view wanted) const {
  const auto& found = peek();
  std::string shown = found.is(Token::Kind::kEnd) ? "the end of the text" : quoted(found.text);
  if (found.is(Token::Kind::kDotWord)) shown.insert(1, ".");
  throw SyntaxError{found.line, fmt::format("{} was expected, not {}", wanted, shown)};
}

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const std::string_view rest = text_.substr(position_, 2);
    if (c == '\n') {
      ++line_;
      line_start_ = true;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (rest == "//" || (c == '#' && line_start_)) {  // '#': a line marker of the preprocessor
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (rest == "/*") {
      const auto end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) throw SyntaxError{line_, "a comment '/*' is not closed"};
      for (; position_ < end + 2; ++position_)
        if (text_[position_] == '\n') ++line_;
    } else if (c == '\0' && text_.find_first_not_of('\0', position_) == std::string_view::npos) {
      position_ = text_.size();  // NVRTC counts the terminating NUL in the size of a program
    } else {
      return;
    }
  }
}

Token Lexer::take(Token::Kind kind, std::size_t end) {
  Token token{kind, text_.substr(position_, end - position_), line_};
  position_ = end;
  return token;
}

Token Lexer::scan() {
  skip_blanks();
  if (position_ >= text_.size()) return Token{Token::Kind::kEnd, {}, line_};
  line_start_ = false;
  const char first = text_[position_];
  const auto at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
  std::size_t end = position_ + 1;

  if (starts_name(first) && (first != '%' || continues_name(at(end)))) {
    while (continues_name(at(end))) ++end;
    return take(Token::Kind::kIdentifier, end);
  }
  if (first == '.' && continues_name(at(end))) {
    ++position_;
    for (;;) {
      while (continues_name(at(end))) ++end;
      if (at(end) != ':' || at(end + 1) != ':' || !continues_name(at(end + 2))) break;
      end += 2;
    }
    return take(Token::Kind::kDotWord, end);
  }
  if (is_digit(first)) {
    while (continues_name(at(end))) ++end;
    const bool plain = first != '0' || end == position_ + 1 || is_digit(at(position_ + 1));  // no 0x, 0f ...
    if (plain && at(end) == '.' && is_digit(at(end + 1)))
      for (++end; continues_name(at(end));) ++end;
    const char last = at(end - 1);
    if (plain && (last == 'e' || last == 'E') && (at(end) == '+' || at(end) == '-') && is_digit(at(end + 1)))
      for (++end; is_digit(at(end));) ++end;
    return take(Token::Kind::kNumber, end);
  }
  if (first == '"') {
    ++position_;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    if (at(end) != '"') throw SyntaxError{line_, "a string is not closed"};
    const Token token = take(Token::Kind::kString, end);
    ++position_;
    return token;
  }
  return take(Token::Kind::kPunctuation, end);
}

}  // namespace gpuprobe::ptx
