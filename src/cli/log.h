// What gpuprobe says beside its report: one line a message on stderr, through spdlog. Results never go this
// way.
//
//   gpuprobe: no NVIDIA driver on this machine: predicting for sm_90
//   gpuprobe: error: cannot open 'x.json': No such file or directory
//   gpuprobe:        check the path
#pragma once

#include <string_view>

#include "core/result.h"

namespace gpuprobe::cli {

/// Sets the level: -1 errors only, 0 errors, warnings and notices, 1 what is being done, 2 and more
/// everything.
void set_log_level(int verbosity);

/// A fact that the user did not ask for but should know.
void notice(std::string_view text);
/// Something that may make the result other than expected.
void warn(std::string_view text);
/// What is being done; shown with -v.
void detail(std::string_view text);
/// Why the exit code is not 0 although the report was written: shown with -q as well.
void print_failure(std::string_view text);
/// An error and its remedy.
void print_error(const Error& error);

}  // namespace gpuprobe::cli
