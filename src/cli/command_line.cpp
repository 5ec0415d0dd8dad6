#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/help.h"
#include "cli/kernel_commands.h"
#include "cli/parse_error.h"
#include "cli/suggest.h"
#include "cli/version.h"

namespace gpuprobe::cli {
namespace {

constexpr const char* kDescription =
    "Tells what holds a CUDA kernel back in memory access and residency: uncoalesced global access, "
    "shared-memory "
    "bank conflicts, or occupancy limited by a resource. Measures on a GPU, predicts without one.\n\n"
    "Begin with 'gpuprobe transpose', then 'gpuprobe transpose --pad'. 'gpuprobe KERNEL --help' lists the "
    "options "
    "of a kernel, 'gpuprobe explain' the topics that are explained.\n\n"
    "Exit codes: 0 fine and every gate held; 1 a gate failed; 2 wrong usage or unreadable input; 3 this "
    "machine "
    "cannot do it, or a gate needs a number that could not be had; 4 the kernel failed (compile error, "
    "launch "
    "failure, wrong result, time-out); 70 a defect of gpuprobe.";

/// The deepest command that was named.
const CLI::App& named_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : named_command(*parsed.front());
}

std::string command_path(const CLI::App& app) {
  return app.get_parent() ? command_path(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string see_help(const CLI::App& app) {
  return "see " + command_path(app) + " --help";
}

std::vector<std::string> child_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* child : app.get_subcommands(std::function<bool(const CLI::App*)>{}))
    names.push_back(child->get_name());
  return names;
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

Error unknown_argument(const CLI::App& app, const std::string& argument) {
  const bool option = argument.size() > 1 && argument[0] == '-';
  // "-q=3": CLI11 takes the letters off the front and leaves the rest.
  if (argument.starts_with("-="))
    return {ErrorCode::kUsage, "the option before '" + argument.substr(1) + "' takes no value",
            see_help(app)};
  if (option) {
    const std::string name = argument.substr(0, argument.find('='));
    return {ErrorCode::kUsage, "unknown option " + name + did_you_mean(name, long_options(app)),
            see_help(app)};
  }
  const std::vector<std::string> children = child_names(app);
  const std::string what = children.empty() ? "unexpected argument '" : "unknown command or kernel '";
  return {ErrorCode::kUsage, what + argument + "'" + did_you_mean(argument, children), see_help(app)};
}

}  // namespace

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>("finds what holds a CUDA kernel back", "gpuprobe")) {
  app_->formatter_fn(
      [](const CLI::App* app, const std::string&, CLI::AppFormatMode) { return help_text(describe(*app)); });
  app_->footer(kDescription);
  app_->set_help_flag("-h,--help", "print this help")->group("Help");
  app_->set_version_flag("--version", std::string("gpuprobe ") + kVersion, "print the version")
      ->group("Help");
  app_->allow_extras();
  for (const Command& command : commands()) {
    CLI::App* sub = app_->add_subcommand(command.name, command.summary)->group(command.group);
    sub->footer("");  // not the description of the whole program
    command.define(*sub, actions_);
  }
  add_kernel_commands(*app_, actions_);
  refuse_values_of_flags(*app_);
}

CommandLine::~CommandLine() = default;

Result<CommandLine::Parsed> CommandLine::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Parsed(help_text(describe(named_command(*app_))));
  } catch (const CLI::CallForVersion& version) {
    return Parsed(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(reworded(error, named_command(*app_)));
  }
  return choose_action();
}

Result<CommandLine::Parsed> CommandLine::choose_action() const {
  const CLI::App& named = named_command(*app_);
  // "--" itself is left over as well where only positional arguments follow.
  for (const CLI::App* app = &named; app; app = app->get_parent())
    for (const std::string& argument : app->remaining())
      if (argument != "--") return tl::unexpected(unknown_argument(*app, argument));
  const auto found = actions_.find(&named);
  if (found != actions_.end()) return Parsed(found->second);
  const bool top = named.get_parent() == nullptr;
  return fail(ErrorCode::kUsage, top ? "no command or kernel was given" : "no kernel was given",
              see_help(named) + (top ? "; to begin: gpuprobe transpose" : ""));
}

}  // namespace gpuprobe::cli
