#include "kernels/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gpuprobe {
namespace {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::pair<std::int64_t, std::int64_t>> parse_pair(std::string_view text) {
  const std::size_t comma = text.find_first_of(",x");
  if (comma == std::string_view::npos) return std::nullopt;
  const auto first = parse_integer(text.substr(0, comma));
  const auto second = parse_integer(text.substr(comma + 1));
  if (!first || !second) return std::nullopt;
  return std::pair{*first, *second};
}

/// Dashes as on the command line.
std::string option_name(const Parameter& parameter) {
  return (parameter.name.size() == 1 ? "-" : "--") + parameter.name;
}

tl::unexpected<Error> refused(const Parameter& parameter, std::string_view text, std::string allowed) {
  return fail(ErrorCode::kUsage, fmt::format("{} does not take '{}'.", option_name(parameter), text),
              std::move(allowed));
}

std::string range_of(const Parameter& parameter) {
  return fmt::format("from {} to {}", parameter.minimum, parameter.maximum);
}

/// The canonical text of `text`, or what is allowed instead.
Result<std::string> checked(const Parameter& parameter, std::string_view text) {
  const auto in_range = [&](std::int64_t value) {
    return value >= parameter.minimum && value <= parameter.maximum;
  };
  switch (parameter.kind) {
    case Parameter::Kind::kInteger:
    case Parameter::Kind::kOptionalInteger: {
      if (parameter.kind == Parameter::Kind::kOptionalInteger && text.empty()) text = "1";
      const auto value = parse_integer(text);
      if (!value || !in_range(*value))
        return refused(parameter, text, fmt::format("Give a whole number {}.", range_of(parameter)));
      return std::to_string(*value);
    }
    case Parameter::Kind::kPair: {
      const auto value = parse_pair(text);
      if (!value || !in_range(value->first) || !in_range(value->second))
        return refused(parameter, text,
                       fmt::format("Give two whole numbers X,Y, each {}.", range_of(parameter)));
      return fmt::format("{},{}", value->first, value->second);
    }
    case Parameter::Kind::kNumber:
      if (!parse_number(text)) return refused(parameter, text, "Give a finite number.");
      return std::string(text);
    case Parameter::Kind::kChoice:
      if (std::find(parameter.choices.begin(), parameter.choices.end(), text) == parameter.choices.end())
        return refused(parameter, text,
                       fmt::format("Choose one of: {}.", fmt::join(parameter.choices, ", ")));
      return std::string(text);
    case Parameter::Kind::kFlag:
      if (text.empty() || text == "1" || text == "true") return std::string("1");
      if (text == "0" || text == "false") return std::string("0");
      return refused(parameter, text, "It is a switch: give it without a value (or 0 and 1 in a sweep).");
  }
  return std::string(text);
}

}  // namespace

std::string ParameterValues::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

std::int64_t ParameterValues::integer(std::string_view name) const {
  return parse_integer(text(name)).value_or(0);
}

double ParameterValues::number(std::string_view name) const {
  return parse_number(text(name)).value_or(0.0);
}

bool ParameterValues::flag(std::string_view name) const {
  return text(name) == "1";
}

std::pair<std::int64_t, std::int64_t> ParameterValues::pair(std::string_view name) const {
  return parse_pair(text(name)).value_or(std::pair<std::int64_t, std::int64_t>{0, 0});
}

Result<ParameterValues> validate(const KernelFamily& family,
                                 const std::map<std::string, std::string, std::less<>>& given) {
  for (const auto& [name, text] : given) {
    const bool known =
        std::any_of(family.parameters.begin(), family.parameters.end(),
                    [&wanted = name](const Parameter& parameter) { return parameter.name == wanted; });
    if (known) continue;
    std::vector<std::string> names;
    for (const Parameter& parameter : family.parameters) names.push_back(option_name(parameter));
    return fail(ErrorCode::kUsage, fmt::format("{} has no option '{}'.", family.name, name),
                fmt::format("Its options are: {}.", fmt::join(names, ", ")));
  }
  ParameterValues values;
  for (const Parameter& parameter : family.parameters) {
    const auto found = given.find(parameter.name);
    if (found == given.end() && parameter.default_value.empty()) continue;
    auto text = checked(parameter, found == given.end() ? parameter.default_value : found->second);
    if (!text) return tl::unexpected(text.error());
    values.set(parameter.name, std::move(*text));
  }
  return values;
}

const KernelFamily* find_kernel_family(std::string_view name) {
  for (const KernelFamily& family : kernel_families())
    if (family.name == name) return &family;
  return nullptr;
}

}  // namespace gpuprobe
