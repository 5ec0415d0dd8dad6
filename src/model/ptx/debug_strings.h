// The names of inlined functions: `.section .debug_str`, which `.loc ... function_name $L__info_string0`
// points into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/ptx/lexer.h"

namespace gpuprobe::ptx {

class DebugStrings {
 public:
  /// Reads the section's body from behind its name to the closing brace; keeps it only if `name` is
  /// "debug_str".
  void read_section(Lexer& lexer, std::string_view name);
  /// Reads the operand of function_name: a label or section, with an optional "+ offset"; returns a key for
  /// text().
  static std::string read_reference(Lexer& lexer);
  /// The NUL-terminated string that a key points at; empty if there is none (the section was stripped).
  std::string text(const std::string& key) const;

 private:
  std::string bytes_;
  std::unordered_map<std::string, std::size_t> labels_;
};

}  // namespace gpuprobe::ptx
