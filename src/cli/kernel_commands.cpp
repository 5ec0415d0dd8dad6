#include "cli/kernel_commands.h"

#include <algorithm>

namespace gpuprobe::cli {
namespace {

constexpr const char* kKernelHeading = "Kernel";

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : separator) + word;
  return out;
}

/// One-letter names are short options, with the long form as well (-n, --n).
std::string option_names(const Parameter& parameter) {
  return parameter.name.size() == 1 ? "-" + parameter.name + ",--" + parameter.name : "--" + parameter.name;
}

std::string placeholder(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::kChoice:
      return joined(parameter.choices, "|");
    case Parameter::Kind::kPair:
      return "X,Y";
    case Parameter::Kind::kNumber:
      return "VALUE";
    default:
      return "N";
  }
}

std::string help_of(const Parameter& parameter) {
  std::string help = parameter.help;
  const bool ranged =
      parameter.kind == Parameter::Kind::kInteger || parameter.kind == Parameter::Kind::kOptionalInteger;
  if (ranged && parameter.maximum > parameter.minimum)
    help += "; " + std::to_string(parameter.minimum) + " to " + std::to_string(parameter.maximum);
  if (!parameter.default_value.empty() && parameter.kind != Parameter::Kind::kFlag)
    help += " (default " + parameter.default_value + ")";
  return help;
}

}  // namespace

void add_family_options(CLI::App& app, const KernelFamily& family, TypedValues& values) {
  for (const Parameter& parameter : family.parameters) {
    const auto keep = [&values, name = parameter.name](const std::string& text) { values[name] = text; };
    if (parameter.kind == Parameter::Kind::kFlag) {
      app.add_flag_function(
             option_names(parameter), [keep](std::int64_t) { keep("1"); }, help_of(parameter))
          ->group(kKernelHeading);
      continue;
    }
    CLI::Option* option =
        app.add_option_function<std::string>(option_names(parameter), keep, help_of(parameter))
            ->type_name(placeholder(parameter))
            ->group(kKernelHeading);
    if (parameter.kind == Parameter::Kind::kOptionalInteger) option->expected(0, 1);
  }
}

}  // namespace gpuprobe::cli
