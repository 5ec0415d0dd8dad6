#include "kernels/user/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace gpuprobe::user {
namespace {

constexpr std::string_view kMarker = "__global__";

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The source with comments, strings and character literals blanked (newlines kept, so that lines still
/// count).
std::string without_comments(std::string_view source) {
  std::string text(source);
  std::size_t i = 0;
  const auto blank_until = [&](std::size_t end) {
    for (; i < std::min(end, text.size()); ++i)
      if (text[i] != '\n') text[i] = ' ';
  };
  while (i < text.size()) {
    if (text.compare(i, 2, "//") == 0) {
      blank_until(text.find('\n', i));
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      blank_until(end == std::string::npos ? end : end + 2);
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_name(text[i - 1])))) {
      const char quote = text[i];
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != quote && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      blank_until(end + 1);
    } else {
      ++i;
    }
  }
  return text;
}

/// Index after the bracket that closes the one at `open`, or npos.
std::size_t after_closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

FoundParameter parse_parameter(std::string_view text) {
  std::string whole = squeezed(text.substr(0, text.find('=')));
  for (const std::string_view noise : {"__restrict__", "__restrict", "__grid_constant__"})
    for (std::size_t at = whole.find(noise); at != std::string::npos; at = whole.find(noise))
      whole.replace(at, noise.size(), " ");
  whole = squeezed(whole);
  std::size_t start = whole.size();
  while (start > 0 && is_name(whole[start - 1])) --start;
  // A lone type such as "int" is a parameter without a name.
  if (start == 0) return {whole, ""};
  FoundParameter parameter{squeezed(std::string_view(whole).substr(0, start)), whole.substr(start)};
  for (std::size_t star = parameter.type.find(" *"); star != std::string::npos;
       star = parameter.type.find(" *"))
    parameter.type.erase(star, 1);
  return parameter;
}

std::vector<FoundParameter> parse_parameters(std::string_view list) {
  std::vector<FoundParameter> parameters;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '<' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == ']') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    const std::string_view one = list.substr(start, i - start);
    const std::string text = squeezed(one);
    if (!text.empty() && text != "void") parameters.push_back(parse_parameter(text));
    start = i + 1;
  }
  return parameters;
}

/// True if the declaration that ends before `position` begins with `template <`.
bool follows_template(std::string_view text, std::size_t position) {
  const std::size_t previous_end = text.substr(0, position).find_last_of(";}");
  const std::size_t from = previous_end == std::string_view::npos ? 0 : previous_end;
  const std::string_view head = text.substr(from, position - from);
  const std::size_t keyword = head.find("template");
  return keyword != std::string_view::npos && head.find('<', keyword) != std::string_view::npos;
}

/// Element type of a pointer parameter in the notation of args, or "" if it has none.
std::string_view notation(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 36> kTypes{
      {{"float", "f32"},         {"double", "f64"},         {"__half", "f16"},
       {"half", "f16"},          {"__nv_bfloat16", "bf16"}, {"int", "i32"},
       {"unsigned", "u32"},      {"unsigned int", "u32"},   {"long", "i64"},
       {"unsigned long", "u64"}, {"long long", "i64"},      {"unsigned long long", "u64"},
       {"size_t", "u64"},        {"short", "i16"},          {"unsigned short", "u16"},
       {"char", "i8"},           {"signed char", "i8"},     {"unsigned char", "u8"},
       {"bool", "u8"},           {"int8_t", "i8"},          {"uint8_t", "u8"},
       {"int16_t", "i16"},       {"uint16_t", "u16"},       {"int32_t", "i32"},
       {"uint32_t", "u32"},      {"int64_t", "i64"},        {"uint64_t", "u64"},
       {"__half2", "b4"},        {"half2", "b4"},           {"int2", "b8"},
       {"uint2", "b8"},          {"float2", "b8"},          {"int4", "b16"},
       {"uint4", "b16"},         {"float4", "b16"},         {"double2", "b16"}}};
  for (const std::string_view scope : {"std::", "cuda::std::"})
    if (type.starts_with(scope)) type.remove_prefix(scope.size());
  for (const auto& [cuda, ours] : kTypes)
    if (cuda == type) return ours;
  return "";
}

std::string first_argument(const FoundParameter& parameter, std::size_t index) {
  const std::string name = parameter.name.empty() ? fmt::format("arg{}", index) : parameter.name;
  std::string type = parameter.type;
  const bool is_const = type.rfind("const ", 0) == 0;
  if (is_const) type.erase(0, 6);
  if (!type.empty() && type.back() == '*') {
    type.pop_back();
    const std::string_view element = notation(squeezed(type));
    return fmt::format("{}:{}[n] = {}", name, element.empty() ? "b4" : element,
                       is_const ? "random" : "zeros");
  }
  const std::string_view scalar = notation(type);
  const bool is_float = scalar == "f32" || scalar == "f64" || scalar == "f16" || scalar == "bf16";
  const bool is_struct = !is_float && scalar.starts_with('b');
  return fmt::format("{}:{} = {}", name, scalar.empty() ? "i32" : scalar,
                     is_float    ? "1.0"
                     : is_struct ? "0"
                                 : "n");
}

/// `text` as the inside of a TOML string.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::vector<FoundKernel> find_kernels(std::string_view source) {
  const std::string text = without_comments(source);
  std::vector<FoundKernel> kernels;
  for (std::size_t at = text.find(kMarker); at != std::string::npos;
       at = text.find(kMarker, at + kMarker.size())) {
    std::size_t open = text.find('(', at);
    // __launch_bounds__(...) and other attributes stand between the marker and the name.
    while (open != std::string::npos) {
      std::size_t end = open;
      while (end > at && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
      std::size_t start = end;
      while (start > at && is_name(text[start - 1])) --start;
      const std::string name = text.substr(start, end - start);
      const std::size_t close = after_closing(text, open);
      if (close == std::string::npos) break;
      if (name.rfind("__", 0) == 0 || name.empty()) {
        open = text.find('(', close);
        continue;
      }
      const bool known =
          std::any_of(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == name; });
      if (!known)
        kernels.push_back({name,
                           1 + static_cast<int>(std::count(
                                   text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n')),
                           follows_template(text, at),
                           parse_parameters(std::string_view(text).substr(open + 1, close - open - 2))});
      break;
    }
  }
  return kernels;
}

std::string first_entry(const FoundKernel& kernel, std::string_view file) {
  std::string args;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    args += fmt::format("{}\n  \"{}\"", i == 0 ? "" : ",", first_argument(kernel.parameters[i], i));
  return fmt::format(
      "[[kernel]]\nfile  = \"{}\"\nname  = \"{}\"{}\nvars  = {{ n = 1048576 }}\ngrid  = [\"ceildiv(n, "
      "256)\"]\n"
      "block = [256]\nargs  = [{}{}]\nfail_on = [\"any\"]\n",
      escaped(file), kernel.name,
      kernel.is_template ? "  # a template: add its arguments, as in \"name<float, 32>\"" : "", args,
      args.empty() ? "" : "\n");
}

}  // namespace gpuprobe::user
