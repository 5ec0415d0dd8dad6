#include "model/ptx/debug_strings.h"

#include <charconv>

#include "model/ptx/constants.h"

namespace gpuprobe::ptx {

void DebugStrings::read_section(Lexer& lexer, std::string_view name) {
  const bool keep = name == "debug_str";
  if (keep) labels_["." + std::string(name)] = bytes_.size();
  lexer.expect('{');
  bool data = false;  // between ".b8" and the next word
  while (!lexer.accept('}')) {
    if (lexer.peek().is(Token::Kind::kEnd)) lexer.unexpected("'}' at the end of a section");
    const Token token = lexer.next();
    if (!keep) continue;
    if (token.is(Token::Kind::kDotWord)) data = token.text == "b8";
    if (token.is(Token::Kind::kIdentifier) && lexer.accept(':'))
      labels_[std::string(token.text)] = bytes_.size();
    if (!data || !token.is(Token::Kind::kNumber)) continue;
    const auto value = parse_number(token.text);
    if (!value || value->bits > 255) throw SyntaxError{token.line, quoted(token.text) + " is not a byte"};
    bytes_ += static_cast<char>(value->bits);
  }
}

std::string DebugStrings::read_reference(Lexer& lexer) {
  std::string key;
  if (lexer.peek().is(Token::Kind::kDotWord))
    key = "." + std::string(lexer.next().text);
  else
    key = lexer.expect_identifier("the label of a function's name");
  if (!lexer.accept('+')) return key;
  return key + "+" + std::to_string(read_count(lexer, UINT32_MAX, "an offset"));
}

std::string DebugStrings::text(const std::string& key) const {
  const auto plus = key.find('+');
  const auto label = labels_.find(key.substr(0, plus));
  if (label == labels_.end()) return {};
  std::size_t offset = label->second;
  if (plus != std::string::npos) {
    std::size_t added = 0;
    std::from_chars(key.data() + plus + 1, key.data() + key.size(), added);
    offset += added;
  }
  if (offset >= bytes_.size()) return {};
  const auto end = bytes_.find('\0', offset);
  return bytes_.substr(offset, end == std::string::npos ? end : end - offset);
}

}  // namespace gpuprobe::ptx
