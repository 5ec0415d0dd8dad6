// `gpuprobe sweep KERNEL --tile 8,16 --pad 0,1`: every combination in one process, one table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/kernel_commands.h"
#include "cli/log.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/profile.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "cli/sweep.h"

namespace gpuprobe::cli {
namespace {

struct SweepOptions {
  TypedValues lists;  ///< "8,16,32" by parameter name
  std::vector<std::string> columns;
  RunOptions run;
};

SweptValues swept_values(const TypedValues& lists) {
  SweptValues swept;
  for (const auto& [name, list] : lists) swept[name] = split_list({list});
  return swept;
}

/// Builds every kernel before anything runs: a wrong value must not surface after minutes of work.
Result<std::vector<Kernel>> build_all(const KernelFamily& family,
                                      const std::vector<TypedValues>& combinations, std::uint64_t seed) {
  std::vector<Kernel> kernels;
  for (const TypedValues& values : combinations) {
    auto kernel = build_kernel(family, values);
    if (!kernel) return tl::unexpected(kernel.error());
    kernel->seed = seed;
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

std::string label_of(const TypedValues& values) {
  std::string label;
  for (const auto& [name, value] : values) label += (label.empty() ? "--" : " --") + name + " " + value;
  return label;
}

std::vector<SweepRow> run_all(const std::vector<TypedValues>& combinations,
                              const std::vector<Kernel>& kernels, const Sources& sources,
                              const SweepOptions& options) {
  const InterruptGuard guard;
  Progress progress(kernels.size(), !options.run.output.log.quiet);
  const CollectOptions collect = collect_options(options.run.measure);
  std::vector<SweepRow> rows;
  for (std::size_t i = 0; i < kernels.size() && !interrupted(); ++i) {
    progress.step(label_of(combinations[i]));
    SweepRow row;
    row.values = combinations[i];
    auto runs = profile(kernels[i], sources, collect);
    if (runs) {
      row.runs = std::move(*runs);
    } else {
      row.failure = runs.error().what;
      row.code = runs.error().code;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string rendered(const KernelFamily& family, const SweptValues& swept, const std::vector<SweepRow>& rows,
                     const std::vector<SweepColumn>& columns, const Plan& plan, const std::string& format) {
  const auto table = [&](TableFormat kind) {
    return render(sweep_table(family, swept, rows, columns), kind);
  };
  if (format == "text") return table(TableFormat::kText);
  if (format == "csv") return table(TableFormat::kCsv);
  if (format == "markdown") return table(TableFormat::kMarkdown);
  return plan.writer->write(make_report(all_runs(rows)), plan.write);
}

int judged(const Plan& plan, const std::vector<SweepRow>& rows) {
  int code = 0;
  for (const SweepRow& row : rows) {
    const int one = row.runs.empty() ? static_cast<int>(row.code) : judge_runs(plan, row.runs, true);
    code = worse_exit_code(code, one);
  }
  return code;
}

Result<int> sweep(const KernelFamily& family, const SweepOptions& options) {
  set_log_level(options.run.output.log.level());
  const SweptValues swept = swept_values(options.lists);
  const auto columns = sweep_columns(split_list(options.columns));
  if (!columns) return tl::unexpected(columns.error());
  if (!options.columns.empty() && options.run.output.format == "json")
    return fail(ErrorCode::kUsage, "--show chooses columns of a table, but JSON holds every number",
                "leave out --show, or choose --format text, csv or markdown");
  const auto combinations = expand(family, swept);
  if (!combinations) return tl::unexpected(combinations.error());
  const auto kernels = build_all(family, *combinations, options.run.measure.seed);
  if (!kernels) return tl::unexpected(kernels.error());
  OutputOptions output = options.run.output;
  if (output.format != "json") output.format = "text";  // a table of our own; the report's writer is for JSON
  const auto plan = Plan::make(options.run.gates, output);
  if (!plan) return tl::unexpected(plan.error());
  const auto sources = Sources::open(options.run.source);
  if (!sources) return tl::unexpected(sources.error());
  const std::vector<SweepRow> rows = run_all(*combinations, *kernels, *sources, options);
  const bool stopped = rows.size() < kernels->size();
  if (stopped)
    warn("interrupted: " + std::to_string(rows.size()) + " of " + std::to_string(kernels->size()) +
         " combinations were finished");
  if (Status written =
          plan->output->write(rendered(family, swept, rows, *columns, *plan, options.run.output.format));
      !written)
    return tl::unexpected(written.error());
  const int code = judged(*plan, rows);
  return stopped ? kInterruptedExit : code;
}

void define(CLI::App& app, Actions& actions) {
  set_footer(
      app,
      "Runs every combination of the values given, in one process, and writes one table. A value of two "
      "numbers is "
      "written with an x in a list: --block 32x8,16x16. A switch is swept as --swizzle 0,1. Ctrl-C stops "
      "after the "
      "combination at hand and keeps what is finished (exit code 130). --show takes metrics and " +
          fmt::format("{}.", fmt::join(column_names(), ", ")));
  for (const KernelFamily& family : kernel_families()) {
    auto options = std::make_shared<SweepOptions>();
    CLI::App& sub = add_subcommand(app, family.name, family.summary, kKernelGroup);
    set_footer(sub, "");
    add_family_list_options(sub, family, options->lists);
    add_option(sub, "--show", options->columns,
               "columns in place of the usual ones: bandwidth, flops, ... or any metric")
        ->type_name("NAME[,...]");
    add_source_options(sub, options->run.source);
    add_measure_options(sub, options->run.measure);
    add_gate_options(sub, options->run.gates);
    add_output_options(sub, options->run.output, {"text", "csv", "json", "markdown"});
    actions[&sub] = [&family, options] { return sweep(family, *options); };
  }
}

}  // namespace

Command sweep_command() {
  return {"sweep", "every combination of a kernel's options, in one table", kReportGroup, define};
}

}  // namespace gpuprobe::cli
