// One kernel, from source text to diagnosed runs: compile, collect, add what is known without counting,
// diagnose.
//
//   auto runs = profile(kernel, *sources, collect);      // one run; two with --source both, measured first
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/sources.h"
#include "core/counter_source.h"
#include "core/kernel.h"
#include "core/report.h"
#include "core/result.h"

namespace gpuprobe::cli {

/// The options of the user as a source wants them.
CollectOptions collect_options(const MeasureOptions& options);

/// `argument_names` are those of the launch facts, for messages. Errors: kKernel and kMachine of the compiler
/// and the sources; kUsage for arguments that the kernel does not take.
Result<std::vector<DiagnosedRun>> profile(const Kernel& kernel, const Sources& sources,
                                          const CollectOptions& options,
                                          std::span<const std::string> argument_names = {});

/// Derives what can be derived, diagnoses, and works out the accesses to draw. For runs from any source.
DiagnosedRun diagnose_run(Run run);

/// True if the kernel itself failed: a wrong result, or a fault that would have stopped it on a GPU.
bool kernel_failed(const Run& run);

}  // namespace gpuprobe::cli
