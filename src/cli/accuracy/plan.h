// What the accuracy of the tool is measured on: every planted variant of the built-in kernels, what their
// cures lead to, and the cases of suites.
//
//   auto plan = accuracy_plan({"tests/cases"}, {});      // each launch with its planted answer
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "core/run.h"
#include "kernels/user/launch_case.h"

namespace gpuprobe::cli {

struct AccuracyLaunch {
  std::string label;     ///< "transpose --pad", "tests/cases/shared/S01.cu:4"
  user::LaunchCase one;  ///< its entry holds the planted answer; empty `finding` = only the cure of another
  bool built_in = false;
};

/// `families` limits the built-in kernels; empty = all. Variants whose answer is about correctness are left
/// out: a race or a dependence on block order shows in a prediction alone. Errors: kUsage.
Result<std::vector<AccuracyLaunch>> accuracy_plan(const std::vector<std::string>& paths,
                                                  const std::vector<std::string>& families);

/// What tells one launch from another, wherever it was run: kernel, options, launch configuration.
std::string key_of(const std::string& kernel, const std::vector<std::pair<std::string, std::string>>& options,
                   const Launch& launch);
std::string key_of(const Kernel& kernel);
std::string key_of(const Run& run);

}  // namespace gpuprobe::cli
