// One run of a user's kernel: an entry with every variable bound to one number.
//
//   auto cases = expand(entry, Source{"transpose.cu", text}, "directory/of/the/file");
//   cases->front().kernel;    // like any built-in kernel from here on
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.h"
#include "core/result.h"
#include "kernels/user/launch_entry.h"

namespace gpuprobe::user {

/// No suite needs more runs from one entry; more is a typing error.
inline constexpr std::size_t kMaxCases = 10000;

struct LaunchCase {
  Kernel kernel;  ///< kernel.options holds the bound variables
  LaunchEntry entry;
  std::vector<std::string> argument_names;  ///< in order, for messages
};

/// All combinations of the entry's variables, first variable slowest. File paths are taken from
/// `base_directory`. Errors (kUsage) start with the entry's origin and name the fact that is wrong: a size of
/// zero, a block of more than 1024 threads, a grid over the limits, an argument that does not parse, a check
/// of an unknown buffer.
Result<std::vector<LaunchCase>> expand(const LaunchEntry& entry, const Source& source,
                                       std::string_view base_directory);

}  // namespace gpuprobe::user
