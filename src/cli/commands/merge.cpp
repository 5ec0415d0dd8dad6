// `gpuprobe merge A.json B.json ...`: the reports of the ranks of one job, as one.
#include <memory>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/merge.h"
#include "cli/options.h"
#include "cli/session.h"

namespace gpuprobe::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  GateOptions gates;
  OutputOptions output;
};

Result<int> merge(const MergeOptions& options) {
  set_log_level(options.output.log.level());
  if (options.files.empty())
    return fail(ErrorCode::kUsage, "no report was given", "gpuprobe merge report.0.json report.1.json");
  const auto plan = Plan::make(options.gates, options.output);
  if (!plan) return tl::unexpected(plan.error());
  std::vector<NamedReport> reports;
  for (const std::string& file : options.files) {
    auto runs = read_report(file);
    if (!runs) return tl::unexpected(runs.error());
    reports.push_back({file, std::move(*runs)});
  }
  std::vector<DiagnosedRun> merged = merge_reports(reports);
  const bool unjudged = merged.empty() && !options.gates.empty();
  if (unjudged) print_failure("gates not judged: the reports have no run");
  const auto judged = finish(*plan, std::move(merged), false);
  return unjudged && judged ? static_cast<int>(ErrorCode::kMachine) : judged;
}

void define(CLI::App& app, Actions& actions) {
  auto options = std::make_shared<MergeOptions>();
  set_footer(
      app,
      "Makes one report of those that the ranks of a job wrote with --output report.%r.json. Of each kernel "
      "it "
      "shows the report in which it took longest, since the other ranks wait for that one, and says in how "
      "many "
      "reports each finding occurred and what differs between them: smallest, median and largest value. "
      "Gates "
      "are judged for each kernel alone.");
  add_option(app, "FILE", options->files, "the JSON reports to merge");
  add_gate_options(app, options->gates);
  add_output_options(app, options->output, report_formats());
  actions[&app] = [options] { return merge(*options); };
}

}  // namespace

Command merge_command() {
  return {"merge", "make one report of those of several ranks", kReportGroup, define};
}

}  // namespace gpuprobe::cli
