// A suite: every launch that gpuprobe.toml files and the comment blocks of .cu files describe, run and
// judged.
//
//   auto suite = load_suite({"gpuprobe.toml", "kernels/"});     // all read and expanded before anything runs
//   auto outcomes = run_suite(*suite, options);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/judge.h"
#include "cli/options.h"
#include "core/report.h"
#include "core/result.h"
#include "kernels/user/launch_case.h"

namespace gpuprobe::cli {

/// The launches of all `paths`: a gpuprobe.toml, a .cu file, or a directory that is searched for .cu files
/// with a comment block. Errors: kUsage.
Result<std::vector<user::LaunchCase>> load_suite(const std::vector<std::string>& paths);

struct SuiteOptions {
  SourceOptions source;
  MeasureOptions measure;
  int jobs = 0;  ///< predictions side by side; 0 = one a core. Measurements always run alone.
};

struct SuiteResult {
  std::vector<CaseOutcome> outcomes;  ///< in the order of the suite
  std::vector<DiagnosedRun> runs;     ///< of the cases that ran
};

/// Runs and judges all cases; `finished` is called after each (from one thread at a time). A case that cannot
/// run on this machine is not judged; one that fails to compile or run has failed. Errors: kUsage, kMachine
/// if a source that was asked for is not there.
Result<SuiteResult> run_suite(std::vector<user::LaunchCase> cases, const SuiteOptions& options,
                              const std::function<void(const CaseOutcome&)>& finished);

}  // namespace gpuprobe::cli
