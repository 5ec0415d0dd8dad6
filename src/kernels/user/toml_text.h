// What is looked at in a TOML text before the library reads it.
//
//   line_beyond_ascii("name = \"k\"\nn\u00e4me = 1") == 2
#pragma once

#include <optional>
#include <string_view>

namespace gpuprobe::user {

/// The line (from 1) of the first byte beyond ASCII that stands neither in a comment nor in a string of one
/// line; nullopt if there is none. TOML 1.0 allows such characters in no other place but multi-line strings,
/// which launch facts do not need, and toml++ 3.3 is undefined for some of them: its test for blanks runs
/// into
/// __builtin_unreachable (is_non_ascii_horizontal_whitespace, U+00A1 to U+0499).
std::optional<int> line_beyond_ascii(std::string_view toml);

}  // namespace gpuprobe::user
