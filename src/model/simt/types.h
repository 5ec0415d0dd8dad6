// The scalar types of PTX as the machine computes with them.
//
//   std::optional<Type> t = type_from_modifier("s32");   // Type::kS32
//   bytes_of(*t) == 4;  is_signed(*t);
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuprobe::simt {

enum class Type : std::uint8_t {
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kBf16,
  kF16x2,
  kBf16x2,
  kU16x2,
  kS16x2,
  kTf32,
  kF32,
  kF64,
  kF32x2,
  kE4m3x2,
  kE5m2x2,
};

/// "u32" -> kU32; nullopt for a modifier that is no type.
std::optional<Type> type_from_modifier(std::string_view modifier);
/// Size of a value in memory; a predicate is 1.
std::uint32_t bytes_of(Type type);
bool is_signed(Type type);
bool is_float(Type type);    ///< f16, bf16, their pairs, tf32, f32, f64
bool is_integer(Type type);  ///< u8..s64 and the untyped b8..b64

}  // namespace gpuprobe::simt
