// Whether a run of a suite gave what its entry asks: the planted answer, the expectations, the findings that
// fail. Pure: entry and runs in, outcome out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/report.h"
#include "core/result.h"
#include "kernels/user/launch_entry.h"

namespace gpuprobe::cli {

struct CaseOutcome {
  enum class State {
    kPassed,
    kFailed,
    kNotJudged,  ///< a number or a machine that it needs could not be had: never counts as passed
  };
  State state = State::kPassed;
  std::string label;                 ///< "transpose.cu: transpose n=4096 (sm_90, predicted)"
  std::vector<std::string> reasons;  ///< why it did not pass, one clause each
};

/// Whether the words of `entry` exist: findings, metrics, architectures, sources. Errors: kUsage naming where
/// the entry was written.
Status check_words(const user::LaunchEntry& entry);

/// Judges the runs of one case. Errors: kUsage if a gate of the entry cannot be parsed.
Result<CaseOutcome> judge(const user::LaunchEntry& entry, std::span<const DiagnosedRun> runs);

/// "16 passed, 1 failed, 0 not judged".
std::string tally(std::span<const CaseOutcome> outcomes);
/// 0 all passed; 1 one failed; 3 none failed but one was not judged.
int suite_exit_code(std::span<const CaseOutcome> outcomes);

}  // namespace gpuprobe::cli
