// What CLI11 says about a command line, in gpuprobe's own words.
//
//   --tile: 1 required N missing        becomes        --tile needs a value: --tile N
#pragma once

#include <CLI/CLI.hpp>

#include "core/result.h"

namespace gpuprobe::cli {

/// kUsage; `app` is the command that was named.
Error reworded(const CLI::ParseError& error, const CLI::App& app);

/// Flags take no value: "--pad=x" of a flag is refused instead of being read as a number.
void refuse_values_of_flags(CLI::App& app);

}  // namespace gpuprobe::cli
