// Which files of the user a source includes, so that a cached compilation is not used after one of them
// changed.
//
//   auto files = user_includes({"a/x.cu", "#include \"y.cuh\""}, {"include"});   // the text of a/y.cuh, if
//   it exists
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/kernel.h"

namespace gpuprobe::compile {

/// The user's include directories among NVRTC options ("-Idir", "-I" "dir", "--include-path=dir").
std::vector<std::string> user_include_directories(const std::vector<std::string>& options);

/// All files that `source` includes, directly or not, and that are found beside the including file or in
/// `directories`; conditionals are ignored, so there may be more than the compiler reads. Headers found
/// nowhere here belong to the toolkit, whose identity the cache key holds anyway. nullopt if it cannot be
/// known (a name made by a macro, a file that cannot be read, or too many files).
std::optional<std::vector<Source>> user_includes(const Source& source,
                                                 const std::vector<std::string>& directories);

}  // namespace gpuprobe::compile
