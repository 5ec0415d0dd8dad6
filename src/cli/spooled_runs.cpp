#include "cli/spooled_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/profile.h"
#include "cli/version.h"
#include "metrics/catalog.h"
#include "model/static_facts.h"

namespace gpuprobe::cli {
namespace {

using recorded::SpooledKernel;

std::string plural(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

std::string launches_of(const SpooledKernel& kernel) {
  std::string text =
      fmt::format("{}: {} measured, {} counted, {} skipped", plural(kernel.launches(), "launch"),
                  kernel.measured, kernel.counted, kernel.skipped);
  if (kernel.processes > 1) text += fmt::format(", in {} processes", kernel.processes);
  if (kernel.launches() == 0) text = "its first launch did not come to an end";
  return text;
}

/// Why nothing of this kernel is known.
std::string why_unmeasured(const SpooledKernel& kernel) {
  if (!kernel.why_skipped.empty()) return kernel.why_skipped.begin()->first;
  return kernel.launches() == 0 ? "the program ended during its first launch" : "it was not measured";
}

void mark_missing(Run& run, const SpooledKernel& kernel) {
  const std::string why = kernel.measured == 0 ? why_unmeasured(kernel)
                          : run.sites.empty()
                              ? "single instructions are counted in a second launch of the same kernel and "
                                "configuration, and there was none"
                              : "not collected from a program's launches";
  for (const MetricRow& row : metric_catalog())
    if (row.kind != MetricRow::Kind::kRatio && !run.counters.find(row.name))
      run.counters.set_missing(row.name, why);
}

std::string graphs_of(const recorded::Spool& spool) {
  return fmt::format("{} of CUDA graphs not looked into, since their kernels cannot be replayed one by one",
                     plural(spool.graphs, "launch"));
}

double total_time(const SpooledKernel& kernel) {
  return kernel.run.counters.number("time.duration").value_or(0) * static_cast<double>(kernel.launches());
}

}  // namespace

std::vector<DiagnosedRun> diagnose_spool(recorded::Spool spool) {
  std::stable_sort(spool.kernels.begin(), spool.kernels.end(),
                   [](const auto& a, const auto& b) { return total_time(a) > total_time(b); });
  std::vector<DiagnosedRun> runs;
  for (SpooledKernel& kernel : spool.kernels) {
    Run run = std::move(kernel.run);
    run.environment.gpuprobe_version = kVersion;
    run.notes.insert(run.notes.begin(), launches_of(kernel));
    for (const auto& [why, count] : kernel.why_skipped)
      run.notes.push_back(fmt::format("{} skipped: {}", plural(count, "launch"), why));
    if (runs.empty() && spool.graphs > 0) run.notes.push_back(graphs_of(spool));
    add_static_facts(run);
    mark_missing(run, kernel);
    runs.push_back(diagnose_run(std::move(run)));
  }
  return runs;
}

std::string account_of(const recorded::Spool& spool) {
  std::uint64_t measured = 0;
  std::uint64_t counted = 0;
  std::uint64_t skipped = 0;
  for (const SpooledKernel& kernel : spool.kernels) {
    measured += kernel.measured;
    counted += kernel.counted;
    skipped += kernel.skipped;
  }
  std::string text = "no launches";
  if (measured + counted + skipped > 0)
    text = fmt::format("{}, {}: {} measured, {} counted, {} skipped",
                       plural(spool.kernels.size(), "kernel configuration"),
                       plural(measured + counted + skipped, "launch"), measured, counted, skipped);
  if (spool.not_selected > 0) text += fmt::format("; {} not selected", spool.not_selected);
  if (spool.graphs > 0) text += "; " + graphs_of(spool);
  return text;
}

}  // namespace gpuprobe::cli
