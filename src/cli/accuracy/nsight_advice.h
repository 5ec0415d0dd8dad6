// The advice that Nsight Compute's rules print on the same launches, from `ncu --csv --page details`.
//
//   auto launches = read_nsight_advice(text, "ncu.csv");
//   (*launches)[0].advice[0].rule              // "SharedMemoryConflicts"
//   (*launches)[0].advice[0].causes            // {bank-conflict-load}
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/finding.h"
#include "core/result.h"

namespace gpuprobe::cli {

struct NsightAdvice {
  /// What an advice is about, by its rule and its text.
  enum class Subject {
    kCause,    ///< one of `causes`
    kOther,    ///< a cause that gpuprobe has no kind for (fused arithmetic, compression of L2 lines)
    kSymptom,  ///< a low or high utilisation or a stall, without the cause of it
    kUnknown,  ///< a rule that this version does not know
  };
  std::string rule;  ///< "UncoalescedGlobalAccess"
  Subject subject = Subject::kUnknown;
  std::vector<FindingKind> causes;  ///< any of which the text may mean; kCause only
  double speedup = 0;               ///< 1 / (1 - estimate); 0 = the rule estimates nothing
  bool of_kernel = false;           ///< false: the estimate is of one unit ("local")

  bool names(FindingKind kind) const;
  /// True if it names one of `kinds` ("bank-conflict-load").
  bool names_any(std::span<const std::string> kinds) const;
};

struct NsightLaunch {
  std::string kernel;  ///< as bare_kernel_name() leaves it: "saxpy"
  std::string grid;    ///< "(128, 128, 1)"
  std::string block;
  std::vector<NsightAdvice> advice;
};

/// Launches in order. Errors: kUsage if the columns are not those of a details page.
Result<std::vector<NsightLaunch>> read_nsight_advice(std::string_view text, std::string_view name);

/// "transpose" of "void tiles::transpose<float, 32>(const float *, float *)".
std::string bare_kernel_name(std::string name);

/// What the advice of a rule of Nsight Compute 2025.3 is about; `text` is its description.
NsightAdvice classify_nsight_advice(const std::string& rule, const std::string& text);

}  // namespace gpuprobe::cli
