// `gpuprobe accuracy`: how often verdicts are right and expected gains come true, over kernels whose answer
// is planted. docs/accuracy.md is its output on an H200.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/accuracy/document.h"
#include "cli/accuracy/evaluate.h"
#include "cli/accuracy/plan.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/log.h"
#include "cli/profile.h"
#include "cli/reference.h"
#include "cli/session.h"
#include "cli/sources.h"

namespace gpuprobe::cli {
namespace {

struct State {
  std::vector<std::string> paths;
  std::vector<std::string> families;
  std::string from;
  std::string nsight;
  std::string nsight_runs;
  std::string record;
  SourceOptions source;
  MeasureOptions measure;
  LogOptions log;
  std::string output;
  double budget_s = 0;  ///< 0 = no limit
};

void launch_all(const std::vector<AccuracyLaunch>& plan, const State& state, const Sources& sources,
                std::vector<DiagnosedRun>& runs) {
  const CollectOptions collect = collect_options(state.measure);
  const InterruptGuard guard;
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    return state.budget_s > 0 && elapsed.count() > state.budget_s;
  };
  for (const AccuracyLaunch& launch : plan) {
    if (interrupted() || spent()) break;
    if (!state.source.counters && !is_shown_to_nsight(launch)) continue;
    user::LaunchCase one = launch.one;
    one.kernel.seed = state.measure.seed;
    // A profiler that watches would see the launches of the reference too.
    if (state.source.counters)
      if (Status checked = add_reference(one, sources, collect); !checked) {
        warn(launch.label + ": " + checked.error().what);
        continue;
      }
    auto made = profile(one.kernel, sources, collect);
    if (!made) {
      warn(launch.label + ": " + made.error().what);
      continue;
    }
    detail(fmt::format("{}: {}", launch.label, made->front().diagnosis.verdict.kind));
    runs.push_back(std::move(made->front()));
  }
}

Result<std::vector<DiagnosedRun>> runs_of(const std::vector<AccuracyLaunch>& plan, const State& state) {
  if (!state.from.empty()) return read_report(state.from);
  const auto sources = Sources::open(state.source);
  if (!sources) return tl::unexpected(sources.error());
  std::vector<DiagnosedRun> runs;
  launch_all(plan, state, *sources, runs);
  return runs;
}

Status write_record(const std::string& path, const std::vector<DiagnosedRun>& runs) {
  auto output = Output::open(path);
  if (!output) return tl::unexpected(output.error());
  return (*output)->write(report::find_writer("json")->write(make_report(runs), {}));
}

Result<int> run(const State& state) {
  set_log_level(state.log.level());
  if (state.nsight.empty() != state.nsight_runs.empty())
    return fail(ErrorCode::kUsage, "--nsight and --nsight-runs belong together",
                "give both: what Nsight Compute saw, and the --record of the gpuprobe that it watched");
  const auto plan = accuracy_plan(state.paths, state.families);
  if (!plan) return tl::unexpected(plan.error());
  auto output = Output::open(state.output);
  if (!output) return tl::unexpected(output.error());
  const auto runs = runs_of(*plan, state);
  if (!runs) return tl::unexpected(runs.error());
  if (!state.record.empty())
    if (Status written = write_record(state.record, *runs); !written) return tl::unexpected(written.error());
  Accuracy accuracy = evaluate_accuracy(*plan, *runs);
  if (!state.nsight.empty()) {
    const auto text = read_text_file(state.nsight);
    if (!text) return tl::unexpected(text.error());
    const auto advice = read_nsight_advice(*text, state.nsight);
    if (!advice) return tl::unexpected(advice.error());
    const auto shown = read_report(state.nsight_runs);
    if (!shown) return tl::unexpected(shown.error());
    if (Status added = add_nsight(accuracy, *plan, *advice, *shown); !added)
      return tl::unexpected(added.error());
  }
  if (Status written = (*output)->write(accuracy_document(accuracy, state.from)); !written)
    return tl::unexpected(written.error());
  return interrupted() ? kInterruptedExit : 0;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names = {"none"};
  for (const KernelFamily& family : kernel_families()) names.push_back(family.name);
  return names;
}

void define(CLI::App& app, Actions& actions) {
  auto state = std::make_shared<State>();
  add_option(app, "PATH", state->paths, "suites with planted answers: .cu files, gpuprobe.toml, directories");
  add_option(app, "--families", state->families,
             "only these built-in kernels (commas between them); none = only the PATHs")
      ->type_name("KERNEL[,KERNEL]")
      ->delimiter(',')
      ->check(one_of("kernel", family_names()))
      ->allow_extra_args(false)
      ->group(kMeasureHeading);
  add_option(app, "--from", state->from,
             "judge the runs of this earlier --record instead of running anything")
      ->type_name("FILE")
      ->group(kSourceHeading);
  add_option(app, "--nsight", state->nsight,
             "put the advice of Nsight Compute beside it: the log of `ncu --csv --page details` over "
             "`gpuprobe accuracy --counters off --warmup 0 --repeat 1` with the same PATHs")
      ->type_name("FILE")
      ->group(kSourceHeading);
  add_option(app, "--nsight-runs", state->nsight_runs,
             "the --record of the gpuprobe that Nsight Compute watched: what it launched, in which order")
      ->type_name("FILE")
      ->group(kSourceHeading);
  add_source_options(app, state->source);
  add_measure_options(app, state->measure);
  add_option(app, "--budget", state->budget_s, "start no further launch after so many seconds")
      ->type_name("S")
      ->check(in_range(0.001, 86400, "seconds"))
      ->group(kMeasureHeading);
  add_option(app, "--record", state->record, "keep all runs as a JSON report in FILE")
      ->type_name("FILE")
      ->group(kOutputHeading);
  add_option(app, "--output", state->output, "write the document to FILE instead of stdout")
      ->type_name("FILE")
      ->group(kOutputHeading);
  add_log_options(app, state->log);
  set_footer(
      app,
      "Runs every variant of the built-in kernels whose answer is planted, the kernels that their cures lead "
      "to,\n"
      "and the given suites, and writes a Markdown document: planted answers against verdicts, false "
      "findings,\n"
      "expected against measured gains. Without a GPU the verdicts are predicted and gains are not "
      "compared.");
  actions[&app] = [state] { return run(*state); };
}

}  // namespace

Command accuracy_command() {
  return {"accuracy", "how often verdicts are right and gains come true", kAskGroup, define};
}

}  // namespace gpuprobe::cli
