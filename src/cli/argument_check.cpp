#include "cli/argument_check.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuprobe::cli {
namespace {

/// What is known of a type: enough to tell one that cannot be meant from one that can.
enum class Family { kInteger, kFloat, kHalf, kBfloat, kPointer, kAnything };

struct Known {
  Family family = Family::kAnything;
  std::uint32_t bytes = 0;  ///< 0 = not known
};

/// A parameter of a kernel: as the source has it, or as the PTX has it.
struct Parameter {
  std::string type;
  Known known;
  std::optional<Known> pointee;  ///< of a pointer whose type is known
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Types as abi::__cxa_demangle writes them; a class or enumeration of the user can be anything.
Known known_type(std::string_view type) {
  type = trimmed(type);
  for (const std::string_view qualifier : {" const", " volatile", " restrict", " __restrict"})
    while (type.ends_with(qualifier)) type = trimmed(type.substr(0, type.size() - qualifier.size()));
  if (type.ends_with('*') || type.ends_with('&')) return {Family::kPointer, 8};
  static constexpr std::array<std::pair<std::string_view, Known>, 17> kTypes{{
      {"bool", {Family::kInteger, 1}},
      {"char", {Family::kInteger, 1}},
      {"signed char", {Family::kInteger, 1}},
      {"unsigned char", {Family::kInteger, 1}},
      {"short", {Family::kInteger, 2}},
      {"unsigned short", {Family::kInteger, 2}},
      {"int", {Family::kInteger, 4}},
      {"unsigned int", {Family::kInteger, 4}},
      {"long", {Family::kInteger, 8}},
      {"unsigned long", {Family::kInteger, 8}},
      {"long long", {Family::kInteger, 8}},
      {"unsigned long long", {Family::kInteger, 8}},
      {"float", {Family::kFloat, 4}},
      {"double", {Family::kFloat, 8}},
      {"__half", {Family::kHalf, 2}},
      {"__nv_bfloat16", {Family::kBfloat, 2}},
      {"void", {Family::kAnything, 0}},
  }};
  for (const auto& [name, known] : kTypes)
    if (name == type) return known;
  return {};
}

/// The parameter types of "void transpose<float, 32>(float const*, int)"; nullopt if there are none to read.
std::optional<std::vector<std::string>> types_of(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return std::nullopt;
  const std::string_view name = text.get();
  if (!name.ends_with(')')) return std::nullopt;
  std::vector<std::string> types;
  int depth = 0;
  std::size_t end = name.size() - 1;
  for (std::size_t i = name.size() - 1; i-- > 0;) {
    const char c = name[i];
    if (c == ')' || c == '>' || c == ']') ++depth;
    if ((c == '(' || c == '<' || c == '[') && depth-- == 0) {
      if (i + 1 < end) types.emplace_back(trimmed(name.substr(i + 1, end - i - 1)));
      std::reverse(types.begin(), types.end());
      return types;
    }
    if (c == ',' && depth == 0) {
      types.emplace_back(trimmed(name.substr(i + 1, end - i - 1)));
      end = i;
    }
  }
  return std::nullopt;
}

/// The types of the `.param` lines of an entry in PTX: "u64", "f32", "b8" for a struct.
std::vector<std::string> ptx_types_of(const std::string& ptx, const std::string& symbol) {
  std::vector<std::string> types;
  const std::string entry = ".entry " + symbol + "(";
  const std::size_t begin = ptx.find(entry);
  const std::size_t end = begin == std::string::npos ? begin : ptx.find("\n{", begin);
  if (end == std::string::npos) return types;
  const std::string_view list = std::string_view(ptx).substr(begin, end - begin);
  constexpr std::string_view kParam = ".param ";
  for (std::size_t at = list.find(kParam); at != std::string_view::npos; at = list.find(kParam, at + 1)) {
    std::string_view rest = list.substr(at + kParam.size());
    rest = rest.substr(0, rest.find_first_of(",\n)"));
    if (rest.starts_with(".align")) rest = rest.substr(std::min(rest.find(".b8"), rest.size()));
    types.emplace_back(rest.starts_with('.') ? rest.substr(1, rest.find_first_of(" \t") - 1) : rest);
  }
  return types;
}

Parameter parameter_of(const std::string& type, std::uint32_t bytes) {
  Parameter parameter{type, known_type(type), std::nullopt};
  if (parameter.known.family == Family::kPointer)
    parameter.pointee = known_type(std::string_view(type).substr(0, type.find_last_of("*&")));
  parameter.known.bytes = bytes;
  return parameter;
}

Parameter ptx_parameter_of(const std::string& type, std::uint32_t bytes) {
  Parameter parameter{fmt::format(".{} of {} bytes", type, bytes), {Family::kAnything, bytes}, std::nullopt};
  if (type == "f32" || type == "f64") parameter.known.family = Family::kFloat;
  // Eight bytes may be an address: PTX does not tell.
  if ((type.starts_with('u') || type.starts_with('s')) && bytes < 8)
    parameter.known.family = Family::kInteger;
  return parameter;
}

std::vector<Parameter> parameters_of(const FunctionResources& function, const std::string& ptx) {
  const auto& sizes = function.parameter_bytes;
  const auto source = types_of(function.lowered_name);
  std::vector<Parameter> parameters;
  if (source && source->size() == sizes.size()) {
    for (std::size_t i = 0; i < sizes.size(); ++i) parameters.push_back(parameter_of((*source)[i], sizes[i]));
    return parameters;
  }
  const std::vector<std::string> coded = ptx_types_of(ptx, function.lowered_name);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    parameters.push_back(ptx_parameter_of(i < coded.size() ? coded[i] : "b8", sizes[i]));
  return parameters;
}

Known known_element(ElementType type) {
  switch (type.scalar) {
    case ScalarType::kF32:
    case ScalarType::kF64:
      return {Family::kFloat, type.bytes};
    case ScalarType::kF16:
      return {Family::kHalf, type.bytes};
    case ScalarType::kBf16:
      return {Family::kBfloat, type.bytes};
    case ScalarType::kBytes:
      return {Family::kAnything, type.bytes};
    default:
      return {Family::kInteger, type.bytes};
  }
}

/// Whether elements given as `given` can be what the kernel's pointer points to.
bool elements_fit(const Known& given, const Known& wanted) {
  if (wanted.bytes <= 1) return true;  // void, char and types of the user: any bytes
  if (given.family == Family::kAnything || given.bytes == 1) return true;
  const bool same = given.family == wanted.family;
  // Half-precision numbers are often passed as the 16 bits that they are.
  const bool as_bits =
      given.bytes == 2 && (given.family == Family::kInteger || wanted.family == Family::kInteger);
  return (same || as_bits) && given.bytes == wanted.bytes;
}

/// Why the argument does not fit, or nothing.
std::string misfit(const Kernel& kernel, const Argument& argument, const Parameter& parameter) {
  const Known& wanted = parameter.known;
  if (const auto* reference = std::get_if<BufferRef>(&argument)) {
    if (wanted.bytes != 8) return fmt::format("it has {} bytes, an address 8", wanted.bytes);
    const bool may_point = wanted.family == Family::kPointer || wanted.family == Family::kAnything ||
                           parameter.type == "unsigned long long";
    if (!may_point) return "it is no pointer";
    const Known given = known_element(kernel.buffers[reference->buffer].type);
    if (parameter.pointee && !elements_fit(given, *parameter.pointee))
      return "its elements are of another type";
    return {};
  }
  const ElementType type = std::get<Scalar>(argument).type;
  const Known given = known_element(type);
  if (given.bytes != wanted.bytes)
    return fmt::format("it has {} byte{}, {} has {}", wanted.bytes, wanted.bytes == 1 ? "" : "s",
                       to_string(type), given.bytes);
  if (wanted.family == Family::kAnything || given.family == Family::kAnything ||
      given.family == wanted.family)
    return {};
  if (wanted.family == Family::kPointer)
    return type.scalar == ScalarType::kU64 ? "" : "it is a pointer: give a buffer, name:type[count]";
  return "it is of another type";
}

std::string described(const Kernel& kernel, const Argument& argument) {
  if (const auto* reference = std::get_if<BufferRef>(&argument)) {
    const Buffer& buffer = kernel.buffers[reference->buffer];
    return fmt::format("{}[{}]", to_string(buffer.type), buffer.count);
  }
  return to_string(std::get<Scalar>(argument).type);
}

std::string signature(const std::string& entry, const std::vector<Parameter>& parameters) {
  std::vector<std::string_view> types;
  for (const Parameter& parameter : parameters) types.push_back(parameter.type);
  return fmt::format("{}({})", entry, fmt::join(types, ", "));
}

std::string quoted_name(std::span<const std::string> names, std::size_t i) {
  return i < names.size() ? fmt::format(" '{}'", names[i]) : std::string();
}

Status check_step(const Kernel& kernel, const Step& step, const std::vector<Parameter>& parameters,
                  std::span<const std::string> names) {
  const std::string whole = signature(step.entry, parameters);
  const std::size_t given = step.args.size(), wanted = parameters.size();
  for (std::size_t i = 0; i < std::min(given, wanted); ++i) {
    const std::string why = misfit(kernel, step.args[i], parameters[i]);
    if (why.empty()) continue;
    return fail(
        ErrorCode::kUsage,
        fmt::format("argument {}{} of {} is {}, but parameter {} is {}: {}", i + 1, quoted_name(names, i),
                    step.entry, described(kernel, step.args[i]), i + 1, parameters[i].type, why),
        fmt::format("The kernel is {}; give its arguments in this order.", whole));
  }
  if (given < wanted)
    return fail(
        ErrorCode::kUsage,
        fmt::format("argument {} of {} is missing: parameter {} is {}, and {} argument{} given", given + 1,
                    step.entry, given + 1, parameters[given].type, given, given == 1 ? " is" : "s are"),
        fmt::format("The kernel is {}; give one argument for each parameter, in order.", whole));
  if (given > wanted)
    return fail(
        ErrorCode::kUsage,
        fmt::format("argument {}{} ({}) of {} is one too many: it takes {}", wanted + 1,
                    quoted_name(names, wanted), described(kernel, step.args[wanted]), step.entry, wanted),
        fmt::format("The kernel is {}; give one argument for each parameter, in order.", whole));
  return {};
}

}  // namespace

Status check_arguments(const Kernel& kernel, const CompiledKernel& compiled,
                       std::span<const std::string> names) {
  for (const Step& step : kernel.steps) {
    const FunctionResources* function = compiled.find(step.entry);
    if (!function) continue;  // another check says so
    if (Status fits = check_step(kernel, step, parameters_of(*function, compiled.ptx), names); !fits)
      return fits;
  }
  return {};
}

}  // namespace gpuprobe::cli
