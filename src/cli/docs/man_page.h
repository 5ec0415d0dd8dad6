// The manual page: a frame written by hand (man/gpuprobe.1.in) whose lists of commands and options come from
// the parser, so that they cannot fall behind.
//
//   const std::string page = man_page(frame, describe(line.app()));
#pragma once

#include <string>

#include "cli/help.h"

namespace gpuprobe::cli {

/// `text` as roff: backslashes, hyphens and leading dots kept literal.
std::string roff(const std::string& text);

/// The frame with "@COMMANDS@" (one subsection a command with its own options and the names of the common
/// ones),
/// "@COMMON_OPTIONS@" (the options that several commands share, by group) and "@VERSION@" filled in.
std::string man_page(const std::string& frame, const CommandDoc& program, const std::string& version);

}  // namespace gpuprobe::cli
