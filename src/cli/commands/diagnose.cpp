// `gpuprobe diagnose FILE`: an earlier report, or an export of another profiler, through the same rules.
#include <memory>

#include "cli/command.h"
#include "cli/log.h"
#include "cli/options.h"
#include "cli/session.h"

namespace gpuprobe::cli {
namespace {

struct DiagnoseOptions {
  std::string file;
  GateOptions gates;
  OutputOptions output;
};

Result<int> diagnose_file(const DiagnoseOptions& options) {
  set_log_level(options.output.log.level());
  if (options.file.empty())
    return fail(ErrorCode::kUsage, "no file was given", "gpuprobe diagnose report.json, or - for stdin");
  const auto plan = Plan::make(options.gates, options.output);
  if (!plan) return tl::unexpected(plan.error());
  auto runs = read_report(options.file);
  if (!runs) return tl::unexpected(runs.error());
  return finish(*plan, std::move(*runs), false);
}

void define(CLI::App& app, Actions& actions) {
  auto options = std::make_shared<DiagnoseOptions>();
  set_footer(
      app,
      "Reads a JSON report of gpuprobe, or the output of 'ncu --csv --page raw', diagnoses every run in it "
      "anew and "
      "writes one report. Gates are judged for each run alone.");
  add_option(app, "FILE", options->file, "the report to read; - is stdin");
  add_gate_options(app, options->gates);
  add_output_options(app, options->output, report_formats());
  actions[&app] = [options] { return diagnose_file(*options); };
}

}  // namespace

Command diagnose_command() {
  return {"diagnose", "diagnose an earlier report anew", kReportGroup, define};
}

}  // namespace gpuprobe::cli
