#include "cli/kernel_commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/options.h"
#include "cli/prove.h"
#include "cli/session.h"

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

/// "1" for an option that stands without its optional value; the parser makes "true" of it.
std::string given_value(const std::string& text) {
  return text == "true" ? "1" : text;
}

struct KernelCommandState {
  TypedValues values;
  RunOptions options;
  bool prove = false;
};

Result<int> run_family(const KernelFamily& family, const KernelCommandState& state) {
  auto kernel = build_kernel(family, state.values);
  if (!kernel) return tl::unexpected(kernel.error());
  if (!state.prove) return profile_and_report(std::move(*kernel), state.options);
  return profile_and_report(std::move(*kernel), state.options, [&](const DiagnosedRun& before) {
    std::vector<Change> cures = own_cures(family, state.values, before);
    for (Change& cure : cures)
      if (cure.kernel) cure.kernel->seed = state.options.measure.seed;
    return cures;
  });
}

}  // namespace

void add_family_options(CLI::App& app, const KernelFamily& family, TypedValues& values) {
  for (const Parameter& parameter : family.parameters) {
    const auto keep = [&values, name = parameter.name](const std::string& text) {
      values[name] = given_value(text);
    };
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

void add_family_list_options(CLI::App& app, const KernelFamily& family, TypedValues& lists) {
  for (const Parameter& parameter : family.parameters) {
    const auto keep = [&lists, name = parameter.name](const std::string& text) {
      lists[name] = given_value(text);
    };
    const bool bare =
        parameter.kind == Parameter::Kind::kFlag || parameter.kind == Parameter::Kind::kOptionalInteger;
    const bool pair = parameter.kind == Parameter::Kind::kPair;
    CLI::Option* option =
        app.add_option_function<std::string>(option_names(parameter), keep, help_of(parameter))
            ->type_name(pair ? "XxY[,XxY]" : "LIST")
            ->group(kKernelHeading);
    if (bare) option->expected(0, 1);
  }
}

Result<Kernel> build_kernel(const KernelFamily& family, const TypedValues& values) {
  const auto valid = validate(family, values);
  if (!valid) return tl::unexpected(valid.error());
  return family.build(*valid);
}

TypedValues with_options(TypedValues values, const std::string& options) {
  std::istringstream words(options);
  std::string name;
  for (std::string word; words >> word;) {
    const bool is_option = word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
    if (is_option) name = word.substr(word.find_first_not_of('-'));
    values[name] = is_option ? "" : word;
  }
  return values;
}

void add_kernel_commands(CLI::App& app, Actions& actions) {
  for (const KernelFamily& family : kernel_families()) {
    // `banks` is a command of its own, which measures with the kernel of the same name.
    const auto same_name = [&](const CLI::App* other) { return other->get_name() == family.name; };
    if (!app.get_subcommands(same_name).empty()) continue;
    auto state = std::make_shared<KernelCommandState>();
    CLI::App* sub = app.add_subcommand(family.name, family.summary)->group(kKernelGroup);
    sub->footer(family.description);
    add_family_options(*sub, family, state->values);
    sub->add_flag("--prove", state->prove,
                  "run the cures of its findings as well, and show the expected gain beside the measured one")
        ->group(kMeasureHeading);
    add_run_options(*sub, state->options);
    actions[sub] = [&family, state] { return run_family(family, *state); };
  }
}

}  // namespace gpuprobe::cli
