// Conversions between float (or double) and the two 16-bit floating-point formats, in software, round to
// nearest even.
#pragma once

#include <cstdint>

namespace gpuprobe {

/// IEEE binary16.
std::uint16_t half_from_float(float value);
/// Rounds once: going through float would round twice.
std::uint16_t half_from_double(double value);
float float_from_half(std::uint16_t bits);
/// bfloat16: the upper half of a float.
std::uint16_t bfloat16_from_float(float value);
std::uint16_t bfloat16_from_double(double value);
float float_from_bfloat16(std::uint16_t bits);

}  // namespace gpuprobe
