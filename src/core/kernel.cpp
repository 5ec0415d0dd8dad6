#include "core/kernel.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace gpuprobe {
namespace {

struct TypeName {
  std::string_view name;
  ElementType type;
};

constexpr std::array<TypeName, 12> kTypeNames{{
    {"i8", {ScalarType::kI8, 1}},
    {"u8", {ScalarType::kU8, 1}},
    {"i16", {ScalarType::kI16, 2}},
    {"u16", {ScalarType::kU16, 2}},
    {"i32", {ScalarType::kI32, 4}},
    {"u32", {ScalarType::kU32, 4}},
    {"i64", {ScalarType::kI64, 8}},
    {"u64", {ScalarType::kU64, 8}},
    {"f16", {ScalarType::kF16, 2}},
    {"bf16", {ScalarType::kBf16, 2}},
    {"f32", {ScalarType::kF32, 4}},
    {"f64", {ScalarType::kF64, 8}},
}};

constexpr std::uint32_t kMaxStructBytes = 4096;

template <class T>
Scalar make_scalar(std::string_view name, T value) {
  Scalar scalar{*element_type_from_string(name), std::vector<std::uint8_t>(sizeof value)};
  std::memcpy(scalar.bits.data(), &value, sizeof value);
  return scalar;
}

}  // namespace

std::string to_string(ElementType type) {
  for (const auto& entry : kTypeNames)
    if (entry.type == type) return std::string(entry.name);
  return "b" + std::to_string(type.bytes);
}

std::optional<ElementType> element_type_from_string(std::string_view name) {
  for (const auto& entry : kTypeNames)
    if (entry.name == name) return entry.type;
  if (name.size() < 2 || name[0] != 'b') return std::nullopt;
  std::uint32_t bytes = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), bytes);
  if (error != std::errc{} || end != name.data() + name.size() || bytes == 0 || bytes > kMaxStructBytes)
    return std::nullopt;
  return ElementType{ScalarType::kBytes, bytes};
}

Scalar Scalar::i32(std::int32_t value) {
  return make_scalar("i32", value);
}
Scalar Scalar::u32(std::uint32_t value) {
  return make_scalar("u32", value);
}
Scalar Scalar::i64(std::int64_t value) {
  return make_scalar("i64", value);
}
Scalar Scalar::u64(std::uint64_t value) {
  return make_scalar("u64", value);
}
Scalar Scalar::f32(float value) {
  return make_scalar("f32", value);
}
Scalar Scalar::f64(double value) {
  return make_scalar("f64", value);
}

std::vector<std::string> Kernel::entries() const {
  std::vector<std::string> names;
  for (const Step& step : steps)
    if (!step.is_library_call() && std::find(names.begin(), names.end(), step.entry) == names.end())
      names.push_back(step.entry);
  return names;
}

const Step* Kernel::library_call() const {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [](const Step& step) { return step.is_library_call(); });
  return found == steps.end() ? nullptr : &*found;
}

}  // namespace gpuprobe
