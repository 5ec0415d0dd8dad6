// The advice that Nsight Compute's rules print on the same launches, from `ncu --csv --page details`.
//
//   auto launches = read_nsight_advice(text, "ncu.csv");
//   (*launches)[0].advice[0].rule      // "UncoalescedGlobalAccess"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"
#include "core/result.h"

namespace gpuprobe::cli {

struct NsightAdvice {
  std::string rule;
  double speedup = 1;      ///< 1 / (1 - estimate): the speed-up of the kernel, or of one unit of it
  bool of_kernel = false;  ///< false: the estimate is of one unit ("local")
};

struct NsightLaunch {
  std::string kernel;  ///< without parameters: "saxpy"
  std::string grid;    ///< "(128, 128, 1)"
  std::string block;
  std::vector<NsightAdvice> advice;
};

/// Launches in order. Errors: kUsage if the columns are not those of a details page.
Result<std::vector<NsightLaunch>> read_nsight_advice(std::string_view text, std::string_view name);

/// True if the rule's advice is about what `kind` names.
bool names_cause(const std::string& rule, FindingKind kind);

}  // namespace gpuprobe::cli
