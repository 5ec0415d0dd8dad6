// Numbers as Nsight Compute prints them: thousands separators of the user's locale, units that scale.
//
//   hint_of("27.595.520") == NumberStyle::kCommaDecimal     // one such cell decides for the whole file
//   parse_number("16,777,216", NumberStyle::kPointDecimal)  == 16777216
//   unit_factor("Tbyte/s") == 1e12    unit_factor("us") == 1e-6    unit_factor("cycle/ns") == 1e9
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuprobe::recorded {

enum class NumberStyle {
  kPointDecimal,  ///< 1,234.5
  kCommaDecimal,  ///< 1.234,5
};

/// What one number says about the style of its file; nullopt if it reads in both (or in neither).
std::optional<NumberStyle> hint_of(std::string_view cell);

/// The number, or nullopt for anything else ("n/a", "PolicySpread", "nan", an empty cell). Instances in
/// parentheses after the number ("42 (1; 2)") are left out.
std::optional<double> parse_number(std::string_view cell, NumberStyle style);

/// Factor from a printed unit to its base (byte, second, cycle, Hz, count): prefixes K, M, G, T (thousands)
/// before a word, n, u, m before seconds, and ratios of both. 1 for a unit without prefix.
double unit_factor(std::string_view unit);

}  // namespace gpuprobe::recorded
