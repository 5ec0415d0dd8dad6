// The one place where a number becomes text: scales, rounds and appends the unit. Writers for people use it
// for every number; writers for machines never do.
//
//   quantity(16777216, Unit::kSector)      "16.8 M sectors"      quantity(79.9e-6, Unit::kSecond)   "79.9 us"
//   quantity(3.2e12, Unit::kBytesPerSecond) "3.2 TB/s"           quantity(4, Unit::kRatio)          "4.00"
//   quantity(100, Unit::kPercent)          "100 %"               count(524288)                      "524,288"
#pragma once

#include <cstdint>
#include <string>

#include "core/counters.h"
#include "core/finding.h"
#include "core/launch.h"
#include "core/unit.h"

namespace gpuprobe::report {

/// A number in its base unit as a reader wants it: scaled (k, M, G, T; ns to s), rounded to one decimal
/// (ratios two, percentages three digits), with the unit in singular or plural. Whole numbers below 10,000
/// stay exact. NaN and infinities give "unknown": they are no measurement.
std::string quantity(double number, Unit unit);

/// Like quantity() for a metric's value: a textual value is returned as it is.
std::string quantity(const Value& value);

/// An exact count with thousands separators. A fractional part is rounded to one decimal; from 1e15 on, where
/// a double no longer holds every whole number, the count is scaled.
std::string count(double number);

/// Two decimals ("4.00"), thousands separators in the whole part: what one request costs on average.
std::string per_request(double number);

/// "1.5x", "12.7x", "150x".
std::string speedup(double factor);

/// "1.5x to 2.0x faster", "about 1.7x faster" if both ends read alike, "no faster" if neither exceeds 1.
std::string gain_interval(const Gain& gain);

/// "128 x 128", trailing ones left out; "1" for a single block.
std::string dimensions(const Dim3& dim);

/// "1 block", "2 blocks": exact count and the noun, with a plural s where it is due.
std::string counted(double number, const std::string& noun);

/// "transpose/kernel.cu:21", or the instruction where there is no line, or "unknown place".
std::string place(const std::string& file, int line, const std::string& instruction);

}  // namespace gpuprobe::report
