#include "report/format.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string_view>

namespace gpuprobe::report {
namespace {

constexpr double kExactBelow = 10000.0;       ///< whole numbers up to here are easier to read unscaled
constexpr double kLargestExactDouble = 1e15;  ///< beyond about 9e15 doubles skip whole numbers
constexpr double kBeyondPrefixes = 1e21;      ///< no prefix is known well enough

struct Scaled {
  std::string number;
  std::string_view prefix;
};

/// Scales by thousands with one decimal; a number that would round to 1000.0 moves on to the next prefix.
Scaled scale(double number) {
  constexpr std::array<std::string_view, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  if (std::abs(number) >= kBeyondPrefixes) return {fmt::format("{:.1e}", number), ""};
  std::size_t prefix = 0;
  double scaled = number;
  while (std::abs(scaled) >= 999.95 && prefix + 1 < kPrefixes.size()) {
    scaled /= 1000.0;
    ++prefix;
  }
  if (prefix == 0 && scaled == std::round(scaled)) return {fmt::format("{:.0f}", scaled), ""};
  return {fmt::format("{:.1f}", scaled), kPrefixes[prefix]};
}

std::string seconds(double number) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kScales{
      {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1.0, "s"}}};
  if (number == 0) return "0 s";
  for (const auto& [one, name] : kScales)
    if (std::abs(number / one) < 999.95 || one == 1.0) return fmt::format("{:.1f} {}", number / one, name);
  return {};
}

/// Three significant digits without trailing zeros: "100", "12.5", "1.56", "0.05".
std::string percent(double number) {
  const double magnitude = std::abs(number);
  std::string text = magnitude >= 99.95   ? fmt::format("{:.0f}", number)
                     : magnitude >= 9.995 ? fmt::format("{:.1f}", number)
                                          : fmt::format("{:.2f}", number);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  if (text == "-0") text = "0";
  return text + " %";
}

std::string with_separators(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::size_t end = digits.find('.');
  if (end == std::string::npos) end = digits.size();
  for (std::size_t i = end; i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

bool reads_as_one(const std::string& number, std::string_view prefix) {
  return prefix.empty() && number == "1";
}

/// "16.8 M sectors": the prefix stands alone, so that the noun stays a word.
std::string scaled_noun(double number, std::string_view noun) {
  if (std::abs(number) < kExactBelow && number == std::round(number))
    return counted(number, std::string(noun));
  const Scaled scaled = scale(number);
  const std::string separator = scaled.prefix.empty() ? "" : " ";
  return fmt::format("{}{}{} {}{}", scaled.number, separator, scaled.prefix, noun,
                     reads_as_one(scaled.number, scaled.prefix) ? "" : "s");
}

/// "3.2 TB/s": the prefix joins the symbol.
std::string scaled_symbol(double number, std::string_view symbol) {
  if (std::abs(number) < kExactBelow && number == std::round(number))
    return count(number) + " " + std::string(symbol);
  const Scaled scaled = scale(number);
  return fmt::format("{} {}{}", scaled.number, scaled.prefix, symbol);
}

}  // namespace

std::string quantity(double number, Unit unit) {
  if (!std::isfinite(number)) return "unknown";
  switch (unit) {
    case Unit::kRequest:
    case Unit::kSector:
    case Unit::kWavefront:
    case Unit::kCycle:
    case Unit::kInstruction:
    case Unit::kWarp:
    case Unit::kBlock:
    case Unit::kThread:
      return scaled_noun(number, to_string(unit));
    case Unit::kRegister:
      return scaled_noun(number, "register");
    case Unit::kSectorsPerRequest:
      return per_request(number) + " sectors/request";
    case Unit::kWavefrontsPerRequest:
      return per_request(number) + " wavefronts/request";
    case Unit::kRatio:
      return per_request(number);
    case Unit::kPercent:
      return percent(number);
    case Unit::kByte:
      return scaled_symbol(number, "B");
    case Unit::kBytesPerSecond:
      return scaled_symbol(number, "B/s");
    case Unit::kHertz:
      return scaled_symbol(number, "Hz");
    case Unit::kFlopsPerSecond:
      return scaled_symbol(number, "FLOP/s");
    case Unit::kSecond:
      return seconds(number);
    case Unit::kNone:
      return number == std::round(number) ? count(number) : per_request(number);
  }
  return {};
}

std::string quantity(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return *text;
  return quantity(std::get<double>(value.value), value.unit);
}

std::string count(double number) {
  if (!std::isfinite(number)) return "unknown";
  if (std::abs(number) >= kLargestExactDouble) {
    const Scaled scaled = scale(number);
    return scaled.prefix.empty() ? scaled.number : fmt::format("{} {}", scaled.number, scaled.prefix);
  }
  const bool whole = number == std::round(number);
  std::string digits = with_separators(whole ? fmt::format("{:.0f}", number) : fmt::format("{:.1f}", number));
  return digits == "-0" ? "0" : digits;
}

std::string per_request(double number) {
  if (!std::isfinite(number)) return "unknown";
  if (std::abs(number) >= kLargestExactDouble) return count(number);
  return with_separators(fmt::format("{:.2f}", number));
}

std::string speedup(double factor) {
  if (!std::isfinite(factor)) return "unknown";
  return std::abs(factor) < 99.95 ? fmt::format("{:.1f}x", factor)
                                  : with_separators(fmt::format("{:.0f}", factor)) + "x";
}

std::string gain_interval(const Gain& gain) {
  const std::string low = speedup(gain.low);
  const std::string high = speedup(gain.high);
  if (low == high) return low == "1.0x" ? "no faster" : fmt::format("about {} faster", low);
  return fmt::format("{} to {} faster", low, high);
}

std::string dimensions(const Dim3& dim) {
  std::string text = std::to_string(dim.x);
  if (dim.y != 1 || dim.z != 1) text += fmt::format(" x {}", dim.y);
  if (dim.z != 1) text += fmt::format(" x {}", dim.z);
  return text;
}

std::string counted(double number, const std::string& noun) {
  return fmt::format("{} {}{}", count(number), noun, number == 1 ? "" : "s");
}

std::string place(const std::string& file, int line, const std::string& instruction) {
  if (!file.empty() && line > 0) return fmt::format("{}:{}", file, line);
  if (!instruction.empty()) return file.empty() ? instruction : fmt::format("{} ({})", file, instruction);
  return file.empty() ? "unknown place" : file;
}

}  // namespace gpuprobe::report
