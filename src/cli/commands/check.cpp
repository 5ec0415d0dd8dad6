// `gpuprobe check`: a suite of kernels with expectations, for CI.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/log.h"
#include "cli/session.h"
#include "cli/suite.h"

namespace gpuprobe::cli {
namespace {

struct State {
  std::vector<std::string> paths;
  SuiteOptions suite;
  OutputOptions output;
};

std::string line_of(const CaseOutcome& outcome) {
  using OutcomeState = CaseOutcome::State;
  const char* word = outcome.state == OutcomeState::kPassed   ? "passed    "
                     : outcome.state == OutcomeState::kFailed ? "FAILED    "
                                                              : "not judged";
  std::string text = fmt::format("{}  {}\n", word, outcome.label);
  for (const std::string& reason : outcome.reasons) text += fmt::format("            {}\n", reason);
  return text;
}

Result<int> check(State& state) {
  set_log_level(state.output.log.level());
  auto plan = Plan::make({}, state.output);
  if (!plan) return tl::unexpected(plan.error());
  auto cases = load_suite(state.paths.empty() ? std::vector<std::string>{"gpuprobe.toml"} : state.paths);
  if (!cases) return tl::unexpected(cases.error());
  const InterruptGuard guard;
  const bool as_text = state.output.format == "text";
  const auto progress = [&](const CaseOutcome& outcome) {
    if (!as_text || outcome.state == CaseOutcome::State::kPassed) detail(line_of(outcome));
  };
  auto result = run_suite(std::move(*cases), state.suite, progress);
  if (!result) return tl::unexpected(result.error());
  std::string text;
  if (as_text) {
    for (const CaseOutcome& outcome : result->outcomes)
      if (plan->write.verbosity > 0 || outcome.state != CaseOutcome::State::kPassed) text += line_of(outcome);
    text += tally(result->outcomes) + "\n";
  } else {
    text = plan->writer->write(make_report(std::move(result->runs)), plan->write);
  }
  if (Status written = plan->output->write(text); !written) return tl::unexpected(written.error());
  if (!as_text) notice(tally(result->outcomes));
  return interrupted() ? kInterruptedExit : suite_exit_code(result->outcomes);
}

void define(CLI::App& app, Actions& actions) {
  auto state = std::make_shared<State>();
  add_option(app, "PATH", state->paths,
             "suite files (gpuprobe.toml), .cu files with launch facts, or directories of these (default "
             "gpuprobe.toml)");
  add_option(app, "--jobs", state->suite.jobs, "predictions side by side (default: one a core)")
      ->type_name("N")
      ->check(whole_number(1, 1024, ""))
      ->group(kMeasureHeading);
  add_source_options(app, state->suite.source);
  add_measure_options(app, state->suite.measure);
  add_output_options(app, state->output, report_formats());
  set_footer(
      app,
      "Each entry names a file, a kernel and its launch, and what must hold:\n\n"
      "  [[kernel]]\n  file   = \"transpose.cu\"\n  name   = \"transpose\"\n  vars   = { n = [1000, 4096] }\n"
      "  grid   = [\"ceildiv(n, 32)\", \"ceildiv(n, 32)\"]\n  block  = [32, 32]\n"
      "  args   = [\"in:f32[n*n] = random\", \"out:f32[n*n]\", \"n:i32 = n\"]\n  arch   = [\"sm_80\", "
      "\"sm_90\"]\n"
      "  expect = [\"shared.load.conflict_degree <= 1\"]\n  fail_on = [\"uncoalesced-load\", "
      "\"uncoalesced-store\"]\n\n"
      "Exit code 0: all passed; 1: one failed; 3: none failed, but one could not be judged.");
  actions[&app] = [state] { return check(*state); };
}

}  // namespace

Command check_command() {
  return {"check", "run a suite of kernels with expectations", kOwnCodeGroup, define};
}

}  // namespace gpuprobe::cli
