#include "cli/profile.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "cli/argument_check.h"
#include "cli/attribution.h"
#include "cli/calibration_store.h"
#include "cli/drawings.h"
#include "cli/launch_check.h"
#include "cli/log.h"
#include "cli/mismatch.h"
#include "cli/version.h"
#include "compile/compiler.h"
#include "diagnose/diagnose.h"
#include "metrics/catalog.h"
#include "model/static_facts.h"

namespace gpuprobe::cli {
namespace {

/// Now, in UTC: "2026-11-29T12:00:00Z".
std::string timestamp() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2026-11-29T12:00:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// Copies what the kernel and the compiler know into a run that a source returned.
void complete(Run& run, const Kernel& kernel, const CompiledKernel& compiled) {
  run.kernel = kernel.name;
  run.options = kernel.options;
  run.steps = kernel.steps;
  run.cures = kernel.cures;
  run.useful_bytes = kernel.useful_bytes;
  run.useful_flops = kernel.useful_flops;
  run.environment.gpuprobe_version = kVersion;
  run.environment.arch = compiled.arch;
  run.environment.compiler = compiled.compiler;
  run.environment.date = timestamp();
  run.resources = compiled.functions;
  add_static_facts(run);
}

/// Whether atomics contend shows in their addresses alone.
bool has_atomics(const Run& run) {
  return std::any_of(run.sites.begin(), run.sites.end(), [](const Site& site) {
    return site.access == AccessKind::kGlobalAtomic || site.access == AccessKind::kSharedAtomic;
  });
}

bool wants_addresses(const DiagnosedRun& one) {
  if (has_atomics(one.run)) return true;
  return std::any_of(one.diagnosis.findings.begin(), one.diagnosis.findings.end(),
                     [](const Finding& finding) {
                       return finding.severity != Severity::kNegligible &&
                              std::any_of(finding.sites.begin(), finding.sites.end(),
                                          [](const Site& site) { return !site.worst; });
                     });
}

Result<Run> predict(const Kernel& kernel, const CompiledKernel& compiled, const Sources& sources,
                    const CollectOptions& options) {
  auto run = sources.model().collect(kernel, compiled, options);
  if (run) complete(*run, kernel, compiled);
  return run;
}

Result<DiagnosedRun> measure(const Kernel& kernel, const CompiledKernel& compiled, const Sources& sources,
                             const CollectOptions& options) {
  auto run = sources.measuring()->collect(kernel, compiled, options);
  if (!run) return tl::unexpected(run.error());
  complete(*run, kernel, compiled);
  return diagnose_run(std::move(*run));
}

}  // namespace

CollectOptions collect_options(const MeasureOptions& options) {
  CollectOptions collect;
  collect.warmup = options.warmup;
  collect.repeat = options.repeat;
  collect.cold_cache = options.cold_cache;
  collect.exact = options.exact;
  collect.timeout_s = options.timeout_s;
  collect.threads = options.threads;
  return collect;
}

Result<std::vector<DiagnosedRun>> profile(const Kernel& kernel, const Sources& sources,
                                          const CollectOptions& options,
                                          std::span<const std::string> argument_names) {
  const auto compiled = compile::compile(kernel, sources.arch());
  if (!compiled) return tl::unexpected(compiled.error());
  detail("compiled with " + compiled->compiler + " for " + compiled->arch +
         (compiled->from_cache ? " (from the cache)" : ""));
  if (Status fits = check_arguments(kernel, *compiled, argument_names); !fits)
    return tl::unexpected(fits.error());
  if (Status possible = check_launches(kernel, *compiled, sources.model().device()); !possible)
    return tl::unexpected(possible.error());

  std::vector<DiagnosedRun> runs;
  if (sources.measuring()) {
    auto measured = measure(kernel, *compiled, sources, options);
    if (!measured) return tl::unexpected(measured.error());
    runs.push_back(std::move(*measured));
  }
  const bool addresses_wanted = !runs.empty() && wants_addresses(runs.front());
  if (!sources.predicts() && !addresses_wanted) return runs;

  auto predicted = predict(kernel, *compiled, sources, options);
  if (!predicted) {
    if (sources.predicts()) return tl::unexpected(predicted.error());
    detail("the addresses behind the findings could not be worked out: " + predicted.error().what);
    return runs;
  }
  if (addresses_wanted) {
    Run measured = std::move(runs.front().run);
    attach_addresses(measured, *predicted);
    runs.front() = diagnose_run(std::move(measured));
  }
  if (!sources.predicts()) return runs;
  if (!runs.empty()) add_mismatches(runs.front(), *predicted);
  runs.push_back(diagnose_run(std::move(*predicted)));
  return runs;
}

DiagnosedRun diagnose_run(Run run) {
  derive_ratios(run.counters);
  if (!run.device.calibration) run.device.calibration = calibration_for(run.device.name);
  DiagnosedRun one;
  one.diagnosis = diagnose::diagnose(run);
  one.drawings = drawings_of(one.diagnosis);
  one.run = std::move(run);
  return one;
}

bool kernel_failed(const Run& run) {
  if (run.check.state == CheckOutcome::State::kFailed) return true;
  if (run.sampling && run.sampling->timed_out) return true;
  return std::any_of(run.hazards.begin(), run.hazards.end(), [](const Hazard& hazard) {
    return hazard.kind == HazardKind::kOutOfBounds || hazard.kind == HazardKind::kMisalignedAccess ||
           hazard.kind == HazardKind::kBlockWait;
  });
}

}  // namespace gpuprobe::cli
