// The whole command line: every command, kernel and option, and the reading of an argument vector.
//
//   CommandLine line;
//   auto parsed = line.parse(argc, argv);     // what to do, or kUsage with a "did you mean"
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "cli/command.h"
#include "core/result.h"

namespace gpuprobe::cli {

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();  // where the parser is known

  /// Either a text to print on stdout (--help, --version) or the action of the command that was named.
  using Parsed = std::variant<std::string, Action>;
  /// Errors: kUsage.
  Result<Parsed> parse(int argc, const char* const* argv);

  const CLI::App& app() const { return *app_; }

 private:
  Result<Parsed> choose_action() const;

  std::unique_ptr<CLI::App> app_;
  Actions actions_;
};

}  // namespace gpuprobe::cli
