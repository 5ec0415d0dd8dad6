#include "core/half.h"

#include <bit>

namespace gpuprobe {
namespace {

constexpr std::uint32_t kFloatInfinity = 0x7F800000u;

/// Nearest float towards zero, its last bit set if anything was cut off ("round to odd"). A float has at
/// least two bits more than either 16-bit format, so rounding that to nearest gives what one rounding of
/// `value` gives.
float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  if (back == value || value != value) return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if ((back < 0 ? -back : back) > (value < 0 ? -value : value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

}  // namespace

std::uint16_t half_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > kFloatInfinity)
    return static_cast<std::uint16_t>(sign | 0x7FFFu);  // NaN, as cvt.rn.f16 gives it
  if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // rounds to infinity
  if (magnitude < 0x33000001u) return sign;  // at most half the smallest subnormal: ties to even zero
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  std::uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
  // A subnormal half has a fixed exponent of -14, so its mantissa loses further bits.
  const int dropped = exponent < -14 ? 13 + (-14 - exponent) : 13;
  const std::uint32_t half_unit = 1u << (dropped - 1);
  const std::uint32_t rest = mantissa & ((1u << dropped) - 1);
  mantissa >>= dropped;
  if (rest > half_unit || (rest == half_unit && (mantissa & 1u))) ++mantissa;
  // The implicit bit carries into the exponent by itself.
  const std::uint32_t base = exponent < -14 ? 0u : static_cast<std::uint32_t>(exponent + 14) << 10;
  return static_cast<std::uint16_t>(sign | (base + mantissa));
}

std::uint16_t half_from_double(double value) {
  return half_from_float(round_to_odd(value));
}

float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
  std::uint32_t mantissa = bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | kFloatInfinity | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  std::uint32_t shifted = 113;  // exponent of the smallest normal half; each shift lowers it by one
  while ((mantissa & 0x400u) == 0) {
    mantissa <<= 1;
    --shifted;
  }
  return std::bit_cast<float>(sign | (shifted << 23) | ((mantissa & 0x3FFu) << 13));
}

std::uint16_t bfloat16_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > kFloatInfinity) return 0x7FFFu;  // NaN, as cvt.rn.bf16 gives it
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

std::uint16_t bfloat16_from_double(double value) {
  return bfloat16_from_float(round_to_odd(value));
}

float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace gpuprobe
