// Conversions in their general form: every pair of types, rounding and saturation, one lane at a time.
//
// A value on its way is exact: an integer (128 bits are not needed, 64 and a sign are) or a double. Rounding
// then happens once, to the destination's precision.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/half.h"
#include "model/simt/memory.h"
#include "model/simt/misc_ops.h"

namespace gpuprobe::simt {
namespace {

struct Exact {
  bool is_integer = false;
  bool negative = false;
  std::uint64_t magnitude = 0;  ///< integers
  double real = 0;              ///< floats
};

/// Rounds a non-negative value to an integer.
double round_integral(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return std::trunc(value);
    case Rounding::kDown:
      return std::floor(value);
    case Rounding::kUp:
      return std::ceil(value);
    case Rounding::kNearestAway:
      return std::round(value);
    case Rounding::kNearest:
      break;
  }
  return std::nearbyint(value);  // the machine runs with round to nearest even
}

/// Small floating-point formats: exponent and mantissa bits, largest finite value.
struct Format {
  int exponent_bits = 8;
  int mantissa_bits = 23;
  double largest = 0;
  bool has_infinity = true;
};
constexpr Format kF16Format{5, 10, 65504.0, true};
constexpr Format kBf16Format{8, 7, 0x1.FEp127, true};
constexpr Format kF32Format{8, 23, 0x1.FFFFFEp127, true};
constexpr Format kTf32Format{8, 10, 0x1.FFCp127, true};
constexpr Format kE4m3Format{4, 3, 448.0, false};
constexpr Format kE5m2Format{5, 2, 57344.0, true};

/// `value` (finite) to the precision of the format, as a double. Overflow gives infinity or the largest
/// value, as the rounding mode demands.
double round_to(double value, const Format& format, Rounding rounding) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int smallest = 2 - (1 << (format.exponent_bits - 1));  // of normal numbers
  const int unit = std::max(exponent - 1, smallest) - format.mantissa_bits;
  const double scaled = std::ldexp(value, -unit);
  const double rounded = std::ldexp(round_integral(scaled, rounding), unit);
  if (std::fabs(rounded) <= format.largest) return std::copysign(rounded, value);
  const bool stays = rounding == Rounding::kZero || (rounding == Rounding::kDown && value > 0) ||
                     (rounding == Rounding::kUp && value < 0);
  return std::copysign(stays ? format.largest : std::numeric_limits<double>::infinity(), value);
}

/// An integer to the precision of a float or double without passing through a double that rounds first.
double round_integer(const Exact& value, const Format& format, Rounding rounding) {
  const int bits = 64 - std::countl_zero(value.magnitude);
  if (bits <= 53) {
    const double real = static_cast<double>(value.magnitude);
    return round_to(value.negative ? -real : real, format, rounding);
  }
  // Keep 53 bits, and say in the last one that something was cut off: harmless for formats well below 53
  // bits.
  const int drop = bits - 53;
  std::uint64_t kept = value.magnitude >> drop;
  if (format.mantissa_bits < 50) {
    if ((kept << drop) != value.magnitude) kept |= 1;
    const double real = std::ldexp(static_cast<double>(kept), drop);
    return round_to(value.negative ? -real : real, format, rounding);
  }
  const std::uint64_t rest = value.magnitude - (kept << drop), half = std::uint64_t{1} << (drop - 1);
  const bool up = rounding == Rounding::kNearest ? rest > half || (rest == half && (kept & 1) != 0)
                  : rounding == Rounding::kUp    ? rest != 0 && !value.negative
                  : rounding == Rounding::kDown  ? rest != 0 && value.negative
                                                 : false;
  const double real = std::ldexp(static_cast<double>(kept + (up ? 1 : 0)), drop);
  return value.negative ? -real : real;
}

Exact read(Type type, std::uint64_t raw, bool ftz) {
  Exact exact;
  switch (type) {
    case Type::kF16:
      exact.real = float_from_half(static_cast<std::uint16_t>(raw));
      break;
    case Type::kBf16:
      exact.real = float_from_bfloat16(static_cast<std::uint16_t>(raw));
      break;
    case Type::kF64:
      exact.real = std::bit_cast<double>(raw);
      break;
    case Type::kF32:
      if (ftz && (raw & 0x7F800000u) == 0) raw &= 0x80000000u;
      exact.real = std::bit_cast<float>(static_cast<std::uint32_t>(raw));
      break;
    default: {
      exact.is_integer = true;
      const int unused = 64 - 8 * static_cast<int>(bytes_of(type));
      if (is_signed(type)) {
        const std::int64_t value = static_cast<std::int64_t>(raw << unused) >> unused;
        exact.negative = value < 0;
        exact.magnitude =
            exact.negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
      } else {
        exact.magnitude = raw << unused >> unused;
      }
    }
  }
  return exact;
}

std::uint64_t to_integer(const Exact& value, const ConvertOp& convert, bool saturate) {
  const Type to = convert.to;
  const int bits = 8 * static_cast<int>(bytes_of(to));
  const std::uint64_t ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t top = is_signed(to) ? ones >> 1 : ones;        // largest value
  const std::uint64_t bottom = is_signed(to) ? (ones >> 1) + 1 : 0;  // magnitude of the smallest
  Exact integer = value;
  if (!value.is_integer) {
    if (std::isnan(value.real)) {
      const bool zero = convert.from != Type::kF64 && bits != 64;
      return zero ? 0 : std::uint64_t{1} << (bits - 1);
    }
    const double rounded = round_integral(value.real, convert.rounding);
    integer.negative = rounded < 0;
    const double magnitude = std::fabs(rounded);
    integer.magnitude = magnitude >= 0x1p64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(magnitude);
    saturate = true;  // floats always clamp
  }
  if (saturate) integer.magnitude = std::min(integer.magnitude, integer.negative ? bottom : top);
  return (integer.negative ? 0 - integer.magnitude : integer.magnitude) & ones;
}

std::uint64_t encode_small(double value, const Format& format, bool nan) {
  const int total = 1 + format.exponent_bits + format.mantissa_bits;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (total - 1) : 0;
  if (nan) return format.has_infinity ? (std::uint64_t{1} << (total - 1)) - 1 : 0x7F;
  if (value == 0) return sign;
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  if (std::isinf(value)) return sign | (format.has_infinity ? infinity : 0x7F);
  int exponent = 0;
  std::frexp(value, &exponent);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int smallest = 1 - bias;
  const int at = std::max(exponent - 1, smallest);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::fabs(value), format.mantissa_bits - at));
  const std::uint64_t implicit = std::uint64_t{1} << format.mantissa_bits;
  const std::uint64_t field = mantissa >= implicit ? static_cast<std::uint64_t>(at + bias) : 0;
  return sign | (field << format.mantissa_bits) | (mantissa & (implicit - 1));
}

double decode_small(std::uint64_t bits, const Format& format) {
  const int total = 1 + format.exponent_bits + format.mantissa_bits;
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const auto field =
      static_cast<int>(bits >> format.mantissa_bits & ((std::uint64_t{1} << format.exponent_bits) - 1));
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int last = (1 << format.exponent_bits) - 1;
  double value =
      field == 0
          ? std::ldexp(static_cast<double>(mantissa), 1 - bias - format.mantissa_bits)
          : std::ldexp(1.0 + std::ldexp(static_cast<double>(mantissa), -format.mantissa_bits), field - bias);
  if (format.has_infinity && field == last)
    value =
        mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  if (!format.has_infinity && (bits & 0x7F) == 0x7F) value = std::numeric_limits<double>::quiet_NaN();
  return (bits >> (total - 1) & 1) != 0 ? -value : value;
}

const Format& format_of(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return kF16Format;
    case Type::kBf16:
    case Type::kBf16x2:
      return kBf16Format;
    case Type::kTf32:
      return kTf32Format;
    case Type::kE4m3x2:
      return kE4m3Format;
    case Type::kE5m2x2:
      return kE5m2Format;
    default:
      return kF32Format;
  }
}

std::uint64_t to_float(const Exact& value, const ConvertOp& convert, std::uint8_t flags, Type to) {
  constexpr Format kF64Format{11, 52, std::numeric_limits<double>::max(), true};
  const Format& format = to == Type::kF64 ? kF64Format : format_of(to);
  double real = value.real;
  if (value.is_integer) {
    real = round_integer(value, format, convert.rounding);
  } else if (convert.to_integral) {
    real = std::copysign(round_integral(real, convert.rounding), real);
    real = to == Type::kF64 ? real : round_to(real, format, Rounding::kNearest);
  } else if (to != Type::kF64) {
    real = round_to(real, format, convert.rounding);
  }
  const bool nan = std::isnan(real);
  if ((flags & kFlagSaturate) != 0) real = real > 0 ? std::min(real, 1.0) : 0.0;
  if ((flags & kFlagRelu) != 0 && !(real > 0) && !nan) real = 0.0;
  if (convert.finite && !nan && std::fabs(real) > format.largest) real = std::copysign(format.largest, real);
  const bool nan_left = nan && (flags & kFlagSaturate) == 0;
  if (to == Type::kF64) return std::bit_cast<std::uint64_t>(real);
  if (to == Type::kF32) {
    auto bits = nan_left ? 0x7FFFFFFFu : std::bit_cast<std::uint32_t>(static_cast<float>(real));
    if ((flags & kFlagFtz) != 0 && (bits & 0x7F800000u) == 0) bits &= 0x80000000u;
    return bits;
  }
  if (to == Type::kTf32)
    return nan_left ? 0x7FFFFFFFu : std::bit_cast<std::uint32_t>(static_cast<float>(real));
  return encode_small(real, format, nan_left);
}

std::uint64_t convert_pair(std::uint64_t a, std::uint64_t b, const ConvertOp& convert, std::uint8_t flags) {
  const bool from_small = convert.from == Type::kE4m3x2 || convert.from == Type::kE5m2x2;
  const bool to_small = convert.to == Type::kE4m3x2 || convert.to == Type::kE5m2x2;
  Exact high, low;
  if (convert.from == Type::kF32) {
    high = read(Type::kF32, a, false);
    low = read(Type::kF32, b, false);
  } else if (from_small) {
    high.real = decode_small(a >> 8 & 0xFF, format_of(convert.from));
    low.real = decode_small(a & 0xFF, format_of(convert.from));
  } else {
    high = read(Type::kF16, a >> 16 & 0xFFFF, false);
    low = read(Type::kF16, a & 0xFFFF, false);
  }
  return to_float(high, convert, flags, convert.to) << (to_small ? 8 : 16) |
         to_float(low, convert, flags, convert.to);
}

}  // namespace

void convert_general(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto convert = std::bit_cast<ConvertOp>(op.immediate);
  const bool ftz = (op.flags & kFlagFtz) != 0, saturate = (op.flags & kFlagSaturate) != 0;
  const bool pair = convert.to == Type::kF16x2 || convert.to == Type::kBf16x2 ||
                    convert.to == Type::kE4m3x2 || convert.to == Type::kE5m2x2;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const std::uint64_t raw = read_lane(warp, op.a, convert.from_bytes, i);
    std::uint64_t result = 0;
    if (pair) {
      result = convert_pair(raw, op.b == kNoSlot ? 0 : read_lane(warp, op.b, convert.from_bytes, i), convert,
                            op.flags);
    } else {
      const Exact value = read(convert.from, raw, ftz);
      if (is_integer(convert.to)) {
        result = to_integer(value, convert, saturate);
        // Extended to the register by the type's own sign.
        const int unused = 64 - 8 * static_cast<int>(bytes_of(convert.to));
        if (is_signed(convert.to))
          result = static_cast<std::uint64_t>(static_cast<std::int64_t>(result << unused) >> unused);
        if (convert.to_bytes == 2) result &= 0xFFFF;
      } else {
        result = to_float(value, convert, op.flags, convert.to);
      }
    }
    write_lane(warp, op.dst, convert.to_bytes == 8 ? 8 : 4, i, result);
  }
}

}  // namespace gpuprobe::simt
