// A command of gpuprobe. To add one: a file commands/<name>.cpp that defines `Command <name>_command()`;
// CMake writes the registry. A command declares its options on the parser and binds what is to be done.
//
//   Command list_command() { return {"list", "the built-in kernels, one line each", kAskGroup, define}; }
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "core/result.h"

namespace gpuprobe::cli {

/// Does the work of a parsed command and returns the exit code; an error is printed by the caller and its
/// code is the exit code.
using Action = std::function<Result<int>()>;

/// What to do for each parser node; the deepest node that was parsed decides.
using Actions = std::map<const CLI::App*, Action>;

/// Headings of `gpuprobe --help`.
inline constexpr const char* kKernelGroup = "Kernels";
inline constexpr const char* kOwnCodeGroup = "Your own code";
inline constexpr const char* kAskGroup = "Questions";
inline constexpr const char* kReportGroup = "Reports";

struct Command {
  std::string name;
  std::string summary;  ///< one line, lower case, no full stop
  std::string group;
  /// Adds options (and nested commands) to `app` and binds their actions.
  void (*define)(CLI::App& app, Actions& actions) = nullptr;
};

/// All commands, sorted by name; the kernels are not among them. Written by CMake from the files of
/// commands/.
const std::vector<Command>& commands();

}  // namespace gpuprobe::cli
