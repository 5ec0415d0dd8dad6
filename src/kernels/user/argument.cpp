#include "kernels/user/argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "core/half.h"

namespace gpuprobe::user {
namespace {

constexpr std::string_view kForms =
    "Write 'name:type = value' or 'name:type[count] = "
    "zeros|ones|iota|shuffle|random|random(lo,hi)|fill(v)|mod(k)|"
    "file(\"path\")'; types are i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 and b12 (a struct of 12 "
    "bytes).";

tl::unexpected<Error> wrong(std::string_view argument, const std::string& why) {
  return fail(ErrorCode::kUsage, fmt::format("argument '{}': {}", argument.substr(0, 200), why),
              std::string(kForms));
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// The text between the parentheses of "name(...)", or nullopt if `text` is not of that form.
std::optional<std::string_view> call_of(std::string_view text, std::string_view name) {
  if (text.substr(0, name.size()) != name) return std::nullopt;
  const std::string_view rest = trim(text.substr(name.size()));
  if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') return std::nullopt;
  return trim(rest.substr(1, rest.size() - 2));
}

/// Position of the comma that separates two top-level values, or npos.
std::size_t top_level_comma(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) return i;
  }
  return std::string_view::npos;
}

template <class T>
std::vector<std::uint8_t> object_bytes(T value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

struct IntegerRange {
  ScalarType type;
  double low;
  double high;
};
constexpr std::array<IntegerRange, 6> kNarrowIntegers{{
    {ScalarType::kI8, -128, 127},
    {ScalarType::kU8, 0, 255},
    {ScalarType::kI16, -32768, 32767},
    {ScalarType::kU16, 0, 65535},
    {ScalarType::kI32, -2147483648.0, 2147483647.0},
    {ScalarType::kU32, 0, 4294967295.0},
}};

/// The object representation of an integer `value`; it must fit the type.
Result<Scalar> integer_scalar(std::string_view argument, ElementType type, std::int64_t value) {
  for (const IntegerRange& range : kNarrowIntegers)
    if (range.type == type.scalar &&
        (static_cast<double>(value) < range.low || static_cast<double>(value) > range.high))
      return wrong(argument, fmt::format("{} does not fit in {}", value, gpuprobe::to_string(type)));
  if (type.scalar == ScalarType::kU64 && value < 0)
    return wrong(argument, fmt::format("{} does not fit in u64", value));
  std::vector<std::uint8_t> bytes = object_bytes(value);
  bytes.resize(type.bytes);  // little-endian: the low bytes are the value
  return Scalar{type, std::move(bytes)};
}

Result<Scalar> make_scalar(std::string_view argument, ElementType type, const Number& number) {
  const double value = as_double(number);
  switch (type.scalar) {
    case ScalarType::kF64:
      return Scalar{type, object_bytes(value)};
    case ScalarType::kF32:
      return Scalar{type, object_bytes(static_cast<float>(value))};
    case ScalarType::kF16:
      return Scalar{type, object_bytes(half_from_float(static_cast<float>(value)))};
    case ScalarType::kBf16:
      return Scalar{type, object_bytes(bfloat16_from_float(static_cast<float>(value)))};
    case ScalarType::kBytes:
      if (value != 0) return wrong(argument, "a struct passed by value can only be 0 (all bytes zero)");
      return Scalar{type, std::vector<std::uint8_t>(type.bytes)};
    default:
      break;
  }
  const auto* integer = std::get_if<std::int64_t>(&number);
  if (!integer)
    return wrong(argument, fmt::format("{} is not a whole number, but the type is {}", to_string(number),
                                       gpuprobe::to_string(type)));
  return integer_scalar(argument, type, *integer);
}

Result<BufferInit> parse_file(std::string_view argument, std::string_view inside,
                              std::string_view base_directory) {
  if (inside.size() < 3 || inside.front() != '"' || inside.back() != '"')
    return wrong(argument, "file() takes a path in double quotes");
  const std::filesystem::path path(inside.substr(1, inside.size() - 2));
  BufferInit init{BufferInit::Kind::kFile};
  init.path = path.is_absolute() ? path.string() : (std::filesystem::path(base_directory) / path).string();
  return init;
}

Result<BufferInit> parse_init(std::string_view argument, std::string_view text, const Variables& variables,
                              std::string_view base_directory) {
  using Kind = BufferInit::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 5> kPlain{{{"zeros", Kind::kZeros},
                                                                     {"ones", Kind::kOnes},
                                                                     {"iota", Kind::kIota},
                                                                     {"shuffle", Kind::kShuffle},
                                                                     {"random", Kind::kRandom}}};
  for (const auto& [name, kind] : kPlain)
    if (text == name) return BufferInit{kind};
  if (const auto inside = call_of(text, "file")) return parse_file(argument, *inside, base_directory);
  if (const auto inside = call_of(text, "fill")) {
    const Result<Number> value = evaluate(*inside, variables);
    if (!value) return wrong(argument, value.error().what);
    BufferInit init{Kind::kFill};
    init.value = as_double(*value);
    return init;
  }
  if (const auto inside = call_of(text, "mod")) {
    const Result<std::int64_t> modulo = evaluate_integer(*inside, variables, "mod", 1, INT64_MAX);
    if (!modulo) return wrong(argument, modulo.error().what);
    BufferInit init{Kind::kMod};
    init.modulo = static_cast<std::uint64_t>(*modulo);
    return init;
  }
  if (const auto inside = call_of(text, "random")) {
    const std::size_t comma = top_level_comma(*inside);
    if (comma == std::string_view::npos) return wrong(argument, "random(lo,hi) takes two values");
    const Result<Number> low = evaluate(trim(inside->substr(0, comma)), variables);
    if (!low) return wrong(argument, low.error().what);
    const Result<Number> high = evaluate(trim(inside->substr(comma + 1)), variables);
    if (!high) return wrong(argument, high.error().what);
    if (as_double(*low) >= as_double(*high)) return wrong(argument, "random(lo,hi) needs lo < hi");
    BufferInit init{Kind::kRandom};
    init.low = as_double(*low);
    init.high = as_double(*high);
    return init;
  }
  return wrong(argument, fmt::format("'{}' is not a way to fill a buffer", text));
}

}  // namespace

Result<ParsedArgument> parse_argument(std::string_view text, const Variables& variables,
                                      std::string_view base_directory) {
  const std::string_view argument = trim(text);
  const std::size_t colon = argument.find(':');
  if (colon == std::string_view::npos) return wrong(argument, "there is no ':' between name and type");
  const std::string_view name = trim(argument.substr(0, colon));
  if (!is_identifier(name)) return wrong(argument, fmt::format("'{}' is not a name", name));
  const std::size_t equals = argument.find('=', colon);
  const std::string_view type_text =
      trim(argument.substr(colon + 1, equals == std::string_view::npos ? equals : equals - colon - 1));
  const std::string_view value_text =
      equals == std::string_view::npos ? std::string_view() : trim(argument.substr(equals + 1));
  if (equals != std::string_view::npos && value_text.empty())
    return wrong(argument, "nothing stands after '='");

  const std::size_t bracket = type_text.find('[');
  const std::string_view type_name = trim(type_text.substr(0, bracket));
  const std::optional<ElementType> type = element_type_from_string(type_name);
  if (!type) return wrong(argument, fmt::format("'{}' is not a type", type_name));

  if (bracket == std::string_view::npos) {
    if (value_text.empty()) return wrong(argument, "a scalar needs '= value'");
    const Result<Number> number = evaluate(value_text, variables);
    if (!number) return wrong(argument, number.error().what);
    Result<Scalar> scalar = make_scalar(argument, *type, *number);
    if (!scalar) return tl::unexpected<Error>(scalar.error());
    return NamedScalar{std::string(name), std::move(*scalar)};
  }

  if (type_text.back() != ']') return wrong(argument, "']' is missing after the count");
  const Result<std::int64_t> count =
      evaluate_integer(type_text.substr(bracket + 1, type_text.size() - bracket - 2), variables,
                       "the element count", 1, kMaxBufferBytes / type->bytes);
  if (!count) return wrong(argument, count.error().what + ". " + count.error().hint);
  Result<BufferInit> init = value_text.empty() ? Result<BufferInit>(BufferInit{})
                                               : parse_init(argument, value_text, variables, base_directory);
  if (!init) return tl::unexpected<Error>(init.error());
  return Buffer{std::string(name), *type, static_cast<std::uint64_t>(*count), std::move(*init)};
}

}  // namespace gpuprobe::user
