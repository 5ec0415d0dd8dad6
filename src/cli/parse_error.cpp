#include "cli/parse_error.h"

#include <algorithm>

#include "cli/help.h"

namespace gpuprobe::cli {
namespace {

/// As it can be typed: "--swizzle", "-n" for an option with a short name alone, "FILE".
std::string typed_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  return option.get_snames().empty() ? option.get_name() : "-" + option.get_snames().front();
}

/// The option whose name, with or without its dashes, begins the message or ends a word of it; nullptr if
/// there is none.
const CLI::Option* option_of(const std::string& message, const CLI::App& app) {
  const CLI::Option* found = nullptr;
  std::size_t longest = 0;
  for (const CLI::App* one = &app; one != nullptr; one = one->get_parent())
    for (const CLI::Option* option : one->get_options()) {
      std::vector<std::string> names = option->get_lnames();
      names.insert(names.end(), option->get_snames().begin(), option->get_snames().end());
      names.push_back(option->get_name());
      for (const std::string& name : names) {
        const std::size_t at = message.find(name);
        if (at == std::string::npos || name.size() <= longest) continue;
        const std::size_t end = at + name.size();
        const bool begins = at == 0 || message[at - 1] == ' ' || message[at - 1] == '-';
        if (!begins || (end < message.size() && message[end] != ':' && message[end] != ' ')) continue;
        found = option;
        longest = name.size();
      }
    }
  return found;
}

bool is_conversion(const CLI::ParseError& error) {
  return dynamic_cast<const CLI::ConversionError*>(&error) != nullptr;
}

std::string what_happened(const CLI::ParseError& error, const CLI::Option& option) {
  const std::string name = typed_name(option);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return "no " + name + " was given";
  const bool is_flag = option.get_expected_max() == 0;
  if (is_flag) return name + " takes no value";
  if (is_conversion(error)) {
    const auto& typed = option.results();
    return name + " does not take '" + (typed.empty() ? std::string() : typed.back()) + "'";
  }
  if (option.results().size() > 1)
    return name + " is given " + std::to_string(option.results().size()) + " times; it takes one value";
  return name + " needs a value: " + name + " " + option.get_type_name();
}

}  // namespace

Error reworded(const CLI::ParseError& error, const CLI::App& app) {
  const std::string hint = "see " + describe(app).path + " --help";
  // The checks of the options are gpuprobe's own, and so are their messages.
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr)
    return {ErrorCode::kUsage, error.what(), hint};
  if (const CLI::Option* option = option_of(error.what(), app))
    return {ErrorCode::kUsage, what_happened(error, *option), hint};
  return {ErrorCode::kUsage, "the command line cannot be read", hint};
}

void refuse_values_of_flags(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_expected_max() == 0) option->disable_flag_override();
  for (CLI::App* child : app.get_subcommands({})) refuse_values_of_flags(*child);
}

}  // namespace gpuprobe::cli
