// Completion scripts for bash, zsh and fish, from the parser's own lists.
//
//   const std::string script = completion_script(Shell::kBash, describe(line.app()));
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/help.h"

namespace gpuprobe::cli {

enum class Shell { kBash, kZsh, kFish };
std::optional<Shell> shell_from_string(std::string_view name);

std::string completion_script(Shell shell, const CommandDoc& program);

}  // namespace gpuprobe::cli
