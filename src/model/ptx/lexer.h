// Splits PTX text into tokens, one after the other.
//
//   ld.global.v2.f32 {%f1, _}, [%rd4+16];   ->   ld  .global .v2 .f32  {  %f1  ,  _  }  ,  [  %rd4  +  16  ]
//   ;
#pragma once

#include <string>
#include <string_view>

namespace gpuprobe::ptx {

struct Token {
  enum class Kind {
    kIdentifier,   ///< "ld", "%r1", "$L__BB0_1", "_"
    kNumber,       ///< "16", "0x1FU", "0f3F800000", "9.0"; not yet checked
    kDotWord,      ///< ".global", ".shared::cta", ".2d": text is without the first dot
    kString,       ///< text is between the quotes, escapes untouched
    kPunctuation,  ///< one character
    kEnd,          ///< of the text
  };
  Kind kind = Kind::kEnd;
  std::string_view text;  ///< points into the module's text
  int line = 0;           ///< 1-based

  bool is(char punctuation) const { return kind == Kind::kPunctuation && text[0] == punctuation; }
  bool is(Kind wanted) const { return kind == wanted; }
  bool is_dot(std::string_view word) const { return kind == Kind::kDotWord && text == word; }
};

/// Why a module was refused. Thrown inside the parser only; parse() makes an Error of it.
struct SyntaxError {
  int line = 0;
  std::string what;
};

/// Reads tokens with a look-ahead of two. Every failed expectation throws a SyntaxError with the offending
/// text.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  const Token& peek() const { return ahead_[0]; }
  const Token& peek_second() const { return ahead_[1]; }
  Token next();

  bool accept(char punctuation);           ///< consumes it if it comes next
  bool accept_dot(std::string_view word);  ///< likewise ".word"
  void expect(char punctuation);
  std::string_view expect_identifier(std::string_view wanted);  ///< `wanted` says what for: "a register"
  std::string_view expect_dot_word(std::string_view wanted);

  /// Throws: "`wanted` was expected, not 'xyz'".
  [[noreturn]] void unexpected(std::string_view wanted) const;

 private:
  Token scan();
  void skip_blanks();
  Token take(Token::Kind kind, std::size_t end);

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool line_start_ = true;
  Token ahead_[2];
};

/// `text` in quotes, cut to a readable length, with unprintable bytes as \xNN.
std::string quoted(std::string_view text);

}  // namespace gpuprobe::ptx
