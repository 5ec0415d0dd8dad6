// Trying a change at once: the cure of a finding (--prove) or a macro of the user (--try), run on the same
// source, with the expected gain beside the measured one.
//
//   prove(runs, [&](const DiagnosedRun& before) { return own_cures(family, values, before); }, *sources,
//   collect); runs[0].proofs[0].gain       // 1.71, or why it is not known
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/sources.h"
#include "core/counter_source.h"
#include "core/kernel.h"
#include "core/report.h"
#include "core/result.h"
#include "kernels/family.h"

namespace gpuprobe::cli {

/// A kernel to run instead, and what that is expected to do.
struct Change {
  std::string finding;  ///< kind that it cures; "" if none
  std::string change;   ///< as typed
  std::string text;
  std::optional<Gain> expected;
  Result<Kernel> kernel;  ///< an error if the change does not go with the other options
};

/// The changes to try on a run.
using ChangesOf = std::function<std::vector<Change>(const DiagnosedRun& before)>;

/// For each limiting or present finding of `before` that the kernel itself offers a cure for: the family's
/// kernel with the cure's options over `values`. A cure of several findings is tried once, for the first.
std::vector<Change> own_cures(const KernelFamily& family,
                              const std::map<std::string, std::string, std::less<>>& values,
                              const DiagnosedRun& before);

/// Runs the changes that `changes_of` names for each run, on the same sources, and adds what came of them to
/// its proofs. A change that fails is a proof without a gain that says why.
void prove(std::vector<DiagnosedRun>& runs, const ChangesOf& changes_of, const Sources& sources,
           const CollectOptions& options);

/// What `after` shows against `before`: the measured gain, the metrics that count, whether the finding is
/// gone.
Proof compare(const Change& change, const DiagnosedRun& before, const DiagnosedRun& after);

}  // namespace gpuprobe::cli
