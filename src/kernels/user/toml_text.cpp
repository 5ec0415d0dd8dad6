#include "kernels/user/toml_text.h"

namespace gpuprobe::user {

std::optional<int> line_beyond_ascii(std::string_view toml) {
  if (toml.starts_with("\xEF\xBB\xBF")) toml.remove_prefix(3);  // a byte-order mark
  int line = 1;
  char inside = 0;  // the quote that ends the string, '#' in a comment, 0 elsewhere
  for (std::size_t i = 0; i < toml.size(); ++i) {
    const char c = toml[i];
    if (c == '\n') {
      ++line;
      inside = 0;
    } else if (inside == '"' && c == '\\') {
      ++i;  // what is escaped does not end the string
      if (i < toml.size() && toml[i] == '\n') {
        ++line;
        inside = 0;
      }
    } else if (inside == 0 && (static_cast<unsigned char>(c) & 0x80) != 0) {
      return line;
    } else if (inside == 0 && (c == '"' || c == '\'')) {
      // Three quotes begin a string of several lines: its text is looked at like what is outside.
      if (toml.substr(i, 3) == std::string_view(c == '"' ? "\"\"\"" : "'''"))
        i += 2;
      else
        inside = c;
    } else if (inside == 0 && c == '#') {
      inside = '#';
    } else if (inside == c && c != '#') {
      inside = 0;
    }
  }
  return std::nullopt;
}

}  // namespace gpuprobe::user
