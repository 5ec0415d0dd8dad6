// The C++ types behind ElementType, and conversions to and from them.
//
//   double x = with_type(type.scalar, [&]<class T>() { return element::widen(reinterpret_cast<const
//   T*>(p)[i]); });
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/half.h"
#include "core/kernel.h"

namespace gpuprobe::element {

// The 16-bit formats as types of their own, so that templates can tell them from integers.
struct F16 {
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || std::is_same_v<T, F16> || std::is_same_v<T, Bf16>;

/// Floats round to nearest even; an integer type must hold `value` after truncation.
template <class T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, F16>)
    return {half_from_double(value)};
  else if constexpr (std::is_same_v<T, Bf16>)
    return {bfloat16_from_double(value)};
  else
    return static_cast<T>(value);
}

/// Integers wrap modulo the type's range, floats round.
template <class T>
T from_index(std::uint64_t value) {
  if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, Bf16>)
    return from_double<T>(static_cast<double>(value));
  else
    return static_cast<T>(value);
}

template <class T>
double widen(T value) {
  if constexpr (std::is_same_v<T, F16>)
    return float_from_half(value.bits);
  else if constexpr (std::is_same_v<T, Bf16>)
    return float_from_bfloat16(value.bits);
  else
    return static_cast<double>(value);
}

/// Calls f.template operator()<T>() with the C++ type of `type`; a struct counts as bytes.
template <class F>
decltype(auto) with_type(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::kI8:
      return f.template operator()<std::int8_t>();
    case ScalarType::kI16:
      return f.template operator()<std::int16_t>();
    case ScalarType::kU16:
      return f.template operator()<std::uint16_t>();
    case ScalarType::kI32:
      return f.template operator()<std::int32_t>();
    case ScalarType::kU32:
      return f.template operator()<std::uint32_t>();
    case ScalarType::kI64:
      return f.template operator()<std::int64_t>();
    case ScalarType::kU64:
      return f.template operator()<std::uint64_t>();
    case ScalarType::kF16:
      return f.template operator()<F16>();
    case ScalarType::kBf16:
      return f.template operator()<Bf16>();
    case ScalarType::kF32:
      return f.template operator()<float>();
    case ScalarType::kF64:
      return f.template operator()<double>();
    case ScalarType::kU8:
    case ScalarType::kBytes:
      break;
  }
  return f.template operator()<std::uint8_t>();
}

}  // namespace gpuprobe::element
