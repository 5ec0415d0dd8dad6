#include "metrics/recorded/nsight_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace gpuprobe::recorded {
namespace {

/// Without spaces of any kind, apostrophes (both are thousands separators somewhere) and instances in
/// parentheses.
std::string stripped(std::string_view cell) {
  std::string out;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const std::string_view rest = cell.substr(i);
    if (cell[i] == '(' && !out.empty()) break;
    if (rest.starts_with("\xC2\xA0")) {  // no-break space
      i += 1;
      continue;
    }
    if (rest.starts_with("\xE2\x80\xAF")) {  // narrow no-break space
      i += 2;
      continue;
    }
    if (cell[i] == ' ' || cell[i] == '\'' || cell[i] == '\t') continue;
    out += cell[i];
  }
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether groups of three digits are separated by `group` and a fraction by `decimal`; `out` is the plain
/// number.
bool reads_as(const std::string& text, char group, char decimal, std::string& out) {
  out.clear();
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) {
    if (text[i] == '-') out += '-';
    ++i;
  }
  std::size_t digits = 0;
  while (i < text.size() && is_digit(text[i])) out += text[i++], ++digits;
  if (digits == 0) return false;
  const bool grouped = i < text.size() && text[i] == group;
  if (grouped && digits > 3) return false;
  while (i < text.size() && text[i] == group) {
    if (i + 3 >= text.size()) return false;
    for (std::size_t k = i + 1; k <= i + 3; ++k)
      if (!is_digit(text[k])) return false;
    if (i + 4 < text.size() && is_digit(text[i + 4])) return false;
    out.append(text, i + 1, 3);
    i += 4;
  }
  if (i < text.size() && text[i] == decimal) {
    out += '.';
    ++i;
    std::size_t fraction = 0;
    while (i < text.size() && is_digit(text[i])) out += text[i++], ++fraction;
    if (fraction == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    out += text[i++];
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) out += text[i++];
    std::size_t exponent = 0;
    while (i < text.size() && is_digit(text[i])) out += text[i++], ++exponent;
    if (exponent == 0) return false;
  }
  return i == text.size();
}

/// "Mbyte" -> 1e6, "us" -> 1e-6, "sector" -> 1.
double word_factor(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kSeconds{{{"ns", 1e-9},
                                                                         {"nsecond", 1e-9},
                                                                         {"us", 1e-6},
                                                                         {"usecond", 1e-6},
                                                                         {"ms", 1e-3},
                                                                         {"msecond", 1e-3},
                                                                         {"s", 1.0},
                                                                         {"second", 1.0},
                                                                         {"sec", 1.0}}};
  for (const auto& [name, factor] : kSeconds)
    if (word == name) return factor;
  if (word.size() < 2) return 1.0;
  const std::string_view base = word.substr(1);
  // Only before units that are known to be scaled, so that no other word loses its first letter.
  const bool scalable =
      base == "byte" || base == "hz" || base == "cycle" || base == "inst" || base == "sector";
  if (!scalable) return 1.0;
  switch (word.front()) {
    case 'K':
    case 'k':
      return 1e3;
    case 'M':
      return 1e6;
    case 'G':
      return 1e9;
    case 'T':
      return 1e12;
    default:
      return 1.0;
  }
}

}  // namespace

std::optional<NumberStyle> hint_of(std::string_view cell) {
  const std::string text = stripped(cell);
  std::string plain;
  const bool point = reads_as(text, ',', '.', plain);
  const bool comma = reads_as(text, '.', ',', plain);
  if (point == comma) return std::nullopt;
  return point ? NumberStyle::kPointDecimal : NumberStyle::kCommaDecimal;
}

std::optional<double> parse_number(std::string_view cell, NumberStyle style) {
  std::string plain;
  const bool point = style == NumberStyle::kPointDecimal;
  if (!reads_as(stripped(cell), point ? ',' : '.', point ? '.' : ',', plain)) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc{} || end != plain.data() + plain.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

double unit_factor(std::string_view unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string_view::npos) return word_factor(unit);
  return word_factor(unit.substr(0, slash)) / word_factor(unit.substr(slash + 1));
}

}  // namespace gpuprobe::recorded
