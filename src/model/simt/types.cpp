#include "model/simt/types.h"

#include <array>
#include <utility>

namespace gpuprobe::simt {
namespace {

struct TypeRow {
  std::string_view name;
  Type type;
  std::uint32_t bytes;
};

constexpr std::array<TypeRow, 26> kTypes = {{
    {"pred", Type::kPred, 1},     {"b8", Type::kB8, 1},         {"b16", Type::kB16, 2},
    {"b32", Type::kB32, 4},       {"b64", Type::kB64, 8},       {"b128", Type::kB128, 16},
    {"u8", Type::kU8, 1},         {"u16", Type::kU16, 2},       {"u32", Type::kU32, 4},
    {"u64", Type::kU64, 8},       {"s8", Type::kS8, 1},         {"s16", Type::kS16, 2},
    {"s32", Type::kS32, 4},       {"s64", Type::kS64, 8},       {"f16", Type::kF16, 2},
    {"bf16", Type::kBf16, 2},     {"f16x2", Type::kF16x2, 4},   {"bf16x2", Type::kBf16x2, 4},
    {"u16x2", Type::kU16x2, 4},   {"s16x2", Type::kS16x2, 4},   {"tf32", Type::kTf32, 4},
    {"f32", Type::kF32, 4},       {"f64", Type::kF64, 8},       {"f32x2", Type::kF32x2, 8},
    {"e4m3x2", Type::kE4m3x2, 2}, {"e5m2x2", Type::kE5m2x2, 2},
}};

}  // namespace

std::optional<Type> type_from_modifier(std::string_view modifier) {
  for (const TypeRow& row : kTypes)
    if (row.name == modifier) return row.type;
  return std::nullopt;
}

std::uint32_t bytes_of(Type type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row.bytes;
  return 0;
}

bool is_signed(Type type) {
  return type == Type::kS8 || type == Type::kS16 || type == Type::kS32 || type == Type::kS64;
}

bool is_float(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kBf16:
    case Type::kF16x2:
    case Type::kBf16x2:
    case Type::kTf32:
    case Type::kF32:
    case Type::kF64:
      return true;
    default:
      return false;
  }
}

bool is_integer(Type type) {
  return type >= Type::kB8 && type <= Type::kS64 && type != Type::kB128;
}

}  // namespace gpuprobe::simt
