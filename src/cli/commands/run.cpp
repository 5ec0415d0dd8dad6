// `gpuprobe run FILE.cu`: a kernel of the user's own, on the road of the built-in ones.
#include "cli/command.h"
#include "cli/log.h"
#include "cli/profile.h"
#include "cli/prove.h"
#include "cli/reference.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "cli/user_file.h"

namespace gpuprobe::cli {
namespace {

struct State {
  std::string file;
  LaunchFlags launch;
  RunOptions options;
  std::vector<std::string> changes;  ///< of --try
};

/// The cases of each --try, which must be as many as those without it: before and after are compared one by
/// one.
Result<std::vector<std::vector<user::LaunchCase>>> changed_cases(const State& state, const UserFile& file,
                                                                 std::size_t expected) {
  std::vector<std::vector<user::LaunchCase>> all;
  for (const std::string& change : state.changes) {
    auto cases = user_cases_with(file, state.launch, change);
    if (!cases) return tl::unexpected(cases.error());
    if (cases->size() != expected)
      return fail(ErrorCode::kUsage, "--try " + change + " changes how many launches there are",
                  "Try one value at a time.");
    all.push_back(std::move(*cases));
  }
  return all;
}

/// Says where the launch facts are that turned out to be wrong.
Error at_origin(const user::LaunchCase& one, Error error) {
  if (error.code == ErrorCode::kUsage) error.what = one.entry.origin + ": " + error.what;
  return error;
}

Result<int> run(const State& state) {
  set_log_level(state.options.output.log.level());
  auto plan = Plan::make(state.options.gates, state.options.output);
  if (!plan) return tl::unexpected(plan.error());
  const auto file = UserFile::read(state.file);
  if (!file) return tl::unexpected(file.error());
  auto cases = user_cases(*file, state.launch);
  if (!cases) return tl::unexpected(cases.error());
  auto changed = changed_cases(state, *file, cases->size());
  if (!changed) return tl::unexpected(changed.error());
  const auto sources = Sources::open(state.options.source);
  if (!sources) return tl::unexpected(sources.error());
  std::vector<DiagnosedRun> runs;
  for (std::size_t i = 0; i < cases->size(); ++i) {
    user::LaunchCase& one = (*cases)[i];
    one.kernel.seed = state.options.measure.seed;
    const CollectOptions collect = collect_options(state.options.measure);
    if (Status checked = add_reference(one, *sources, collect); !checked)
      return tl::unexpected(at_origin(one, checked.error()));
    auto made = profile(one.kernel, *sources, collect, one.argument_names);
    if (!made) return tl::unexpected(at_origin(one, made.error()));
    for (std::size_t t = 0; t < changed->size(); ++t) {
      user::LaunchCase& after = (*changed)[t][i];
      after.kernel.seed = one.kernel.seed;
      if (Status checked = add_reference(after, *sources, collect); !checked)
        return tl::unexpected(checked.error());
      prove(
          *made,
          [&](const DiagnosedRun&) {
            return std::vector<Change>{{"", state.changes[t], "", std::nullopt, after.kernel}};
          },
          *sources, collect);
    }
    runs.insert(runs.end(), std::make_move_iterator(made->begin()), std::make_move_iterator(made->end()));
  }
  return finish(*plan, std::move(runs), cases->size() == 1);
}

void define(CLI::App& app, Actions& actions) {
  auto state = std::make_shared<State>();
  add_option(app, "FILE", state->file, "CUDA source; '-' reads standard input")->required();
  add_launch_flags(app, state->launch);
  add_option(app, "--try", state->changes,
             "run it again with this macro (or number of the launch facts) set, and show counters and time "
             "before and after; several are tried one by one")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(kMeasureHeading);
  add_run_options(app, state->options);
  set_footer(app,
             "The launch is described by flags, or by TOML in a comment of the file that starts with /* "
             "gpuprobe:\n\n"
             "  [[kernel]]\n  name  = \"transpose\"\n  vars  = { n = 4096 }\n  grid  = [\"ceildiv(n, 32)\", "
             "\"ceildiv(n, 32)\"]\n"
             "  block = [32, 32]\n  args  = [\"in:f32[n*n] = random\", \"out:f32[n*n]\", \"n:i32 = n\"]\n\n"
             "Without either, the kernels of the file are listed.");
  actions[&app] = [state] { return run(*state); };
}

}  // namespace

Command run_command() {
  return {"run", "profile a kernel of a .cu file", kOwnCodeGroup, define};
}

}  // namespace gpuprobe::cli
