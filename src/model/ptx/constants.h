// Numbers as PTX writes them, and the constant expressions made of them.
//
//   16  0x1FU  0b101  017  1.5  0f3F800000  0d3FF0000000000000  WARP_SZ  -(4*2+1)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/ptx/lexer.h"

namespace gpuprobe::ptx {

struct Constant {
  enum class Kind { kInteger, kFloat32, kFloat64 };
  Kind kind = Kind::kInteger;
  std::uint64_t bits = 0;  ///< two's complement; the pattern of a float
};

/// The value of a number token; nothing if it is none (or does not fit in 64 bits).
std::optional<Constant> parse_number(std::string_view text);

/// Reads a constant expression: + - * / % << >> & ^ | ~ ! and parentheses over 64-bit integers, or a float
/// with an optional sign. Throws SyntaxError.
Constant read_constant(Lexer& lexer);

/// Reads a constant expression that must be an integer.
std::int64_t read_integer(Lexer& lexer);

/// Reads a plain number between 0 and `most`; `wanted` names it in the error.
std::uint64_t read_count(Lexer& lexer, std::uint64_t most, std::string_view wanted);

/// True if a constant expression can begin with this token.
bool begins_constant(const Token& token);

}  // namespace gpuprobe::ptx
