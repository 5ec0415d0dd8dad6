// From validated options to the exit code: what every command that ends in a report has in common.
//
//   auto plan = Plan::make(options);                 // gates parsed, baseline read, output opened: all
//   before work auto runs = profile(kernel, *sources, plan->collect); return finish(*plan, std::move(*runs));
//   // writes the report, judges the gates
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/gates.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/prove.h"
#include "core/counter_source.h"
#include "core/kernel.h"
#include "core/report.h"
#include "core/result.h"
#include "report/writer.h"

namespace gpuprobe::cli {

/// What is to be done with the runs, validated once and before anything is measured.
struct Plan {
  Gates gates;
  std::vector<DiagnosedRun> baseline;
  bool has_baseline = false;
  const report::Writer* writer = nullptr;
  report::WriteOptions write;
  std::unique_ptr<Output> output;

  /// Errors: kUsage.
  static Result<Plan> make(const GateOptions& gates, const OutputOptions& output);
};

/// A text file as a whole; "-" is stdin. Errors: kUsage naming the file and the cause.
Result<std::string> read_text_file(const std::string& path);

/// The runs of a recorded report, diagnosed anew. Errors: kUsage.
Result<std::vector<DiagnosedRun>> read_report(const std::string& path);

/// The runs of one report. Environment of the first.
Report make_report(std::vector<DiagnosedRun> runs);

/// Judges the gates of the plan over `runs` (all of them together, or each alone), prints what did not hold,
/// and returns the exit code: 4 if a kernel failed, else that of the gates.
int judge_runs(const Plan& plan, std::span<const DiagnosedRun> runs, bool together);

/// The exit code that says more: a kernel that failed (4), a gate that failed (1), a gate not judged (3), 0.
int worse_exit_code(int a, int b);

/// Writes the report, judges the gates over all runs together (`together`) or each run alone, and returns the
/// exit code: 4 if a kernel failed, else that of the gates.
Result<int> finish(const Plan& plan, std::vector<DiagnosedRun> runs, bool together);

/// All of it for one kernel: opens the sources, profiles, writes, judges. `changes` names, for each run, the
/// changes to try on it as well (--prove); empty = none.
Result<int> profile_and_report(Kernel kernel, const RunOptions& options, const ChangesOf& changes = {});

}  // namespace gpuprobe::cli
