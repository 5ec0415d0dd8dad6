// `gpuprobe app -- PROGRAM ARGS`: the kernel launches of a whole program, without rebuilding it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/injection_library.h"
#include "cli/interrupt.h"
#include "cli/launched_program.h"
#include "cli/log.h"
#include "cli/options.h"
#include "cli/rank.h"
#include "cli/session.h"
#include "cli/spooled_runs.h"
#include "inject/settings.h"

namespace gpuprobe::cli {
namespace {

struct AppOptions {
  std::vector<std::string> program;
  SelectionOptions selection;
  std::vector<std::string> ranks;
  double timeout_s = 0;
  std::string budget;
  GateOptions gates;
  OutputOptions output;
};

/// "30s" -> "30".
std::string without_unit(const std::string& seconds) {
  return seconds.ends_with('s') ? seconds.substr(0, seconds.size() - 1) : seconds;
}

/// The spool's folder; gone with this object.
class SpoolFolder {
 public:
  static Result<SpoolFolder> create() {
    std::error_code ignored;
    std::string path = (std::filesystem::temp_directory_path(ignored) / "gpuprobe-XXXXXX").string();
    if (!::mkdtemp(path.data()))
      return fail(ErrorCode::kMachine, "no folder for temporary files could be made: " + path,
                  "set TMPDIR to a folder that you may write to");
    return SpoolFolder(path);
  }
  SpoolFolder(SpoolFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  SpoolFolder& operator=(SpoolFolder&&) = delete;
  ~SpoolFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit SpoolFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Runs the program as it is: this rank is not to be measured.
Result<int> run_plainly(const AppOptions& options) {
  auto program = LaunchedProgram::start(options.program, {});
  if (!program) return tl::unexpected(program.error());
  return program->wait(options.timeout_s).status;
}

Result<ProgramEnd> run_injected(const AppOptions& options, const std::string& folder) {
  const auto library = injection_library();
  if (!library) return tl::unexpected(library.error());
  auto variables = inject::environment_of({folder, options.selection});
  variables.emplace_back("CUDA_INJECTION64_PATH", *library);
  if (!options.selection.nvtx.empty()) {
    const auto ranges = nvtx_library();
    if (!ranges) return tl::unexpected(ranges.error());
    variables.emplace_back("NVTX_INJECTION64_PATH", *ranges);
    variables.emplace_back("GPUPROBE_CUPTI", *ranges);
  }
  const InterruptGuard guard;  // Ctrl-C ends the program; what it finished is still reported
  auto program = LaunchedProgram::start(options.program, variables);
  if (!program) return tl::unexpected(program.error());
  return program->wait(options.timeout_s);
}

Result<int> profile_program(AppOptions options) {
  set_log_level(options.output.log.level());
  if (options.program.empty())
    return fail(ErrorCode::kUsage, "no program was given", "gpuprobe app -- ./program ARGS");
  options.selection.verbosity = options.output.log.level();
  if (!options.budget.empty()) options.selection.budget_s = std::stod(without_unit(options.budget));
  if (const auto selection = Selection::make(options.selection); !selection)
    return tl::unexpected(selection.error());
  const auto ranks = parse_ranks(options.ranks);
  if (!ranks) return tl::unexpected(ranks.error());
  if (!ranks->empty() &&
      std::find(ranks->begin(), ranks->end(), rank_of_process().value_or(0)) == ranks->end())
    return run_plainly(options);
  const auto plan = Plan::make(options.gates, options.output);
  if (!plan) return tl::unexpected(plan.error());
  const auto folder = SpoolFolder::create();
  if (!folder) return tl::unexpected(folder.error());

  const auto end = run_injected(options, folder->path());
  if (!end) return tl::unexpected(end.error());
  auto spool = recorded::read_spool(folder->path());
  if (!spool) return tl::unexpected(spool.error());
  for (const std::string& note : spool->notes) warn(note);
  if (!end->text.empty())
    notice("the program: " + end->text + (end->timed_out ? " after its time was up" : ""));
  if (spool->processes == 0) notice("the program did not use CUDA");
  notice(account_of(*spool));
  const bool unjudged = spool->kernels.empty() && !options.gates.empty();
  if (unjudged) print_failure("gates not judged: there is no launch to judge");
  auto judged = finish(*plan, diagnose_spool(std::move(*spool)), false);
  if (!judged || *judged != 0) return judged;
  if (unjudged) return static_cast<int>(ErrorCode::kMachine);
  return end->timed_out ? static_cast<int>(ErrorCode::kKernel) : end->status;
}

void add_selection_options(CLI::App& app, AppOptions& options) {
  const auto heading = "What is measured";
  SelectionOptions& selection = options.selection;
  add_option(app, "--kernel", selection.kernel,
             "only kernels whose name this regular expression finds (part of the name will do)")
      ->type_name("REGEX")
      ->group(heading);
  add_option(app, "--skip", selection.skip, "pass over the first N of these launches")
      ->type_name("N")
      ->check(in_range(0, 1e12, ""))
      ->group(heading);
  add_option(app, "--count", selection.count, "and take only N then (default: all)")
      ->type_name("N")
      ->check(in_range(0, 1e12, ""))
      ->group(heading);
  add_option(app, "--nvtx", selection.nvtx, "only launches inside the NVTX push/pop range of this name")
      ->type_name("RANGE")
      ->group(heading);
  add_option(app, "--budget", options.budget,
             "seconds that measuring may take in each process, e.g. 30s (default: no limit); later launches "
             "are counted")
      ->type_name("S")
      ->check([](const std::string& text) { return in_range(0.001, 86400, "seconds")(without_unit(text)); })
      ->group(heading);
  add_option(app, "--rank", options.ranks,
             "measure only these ranks of an MPI or Slurm job (0,3 or 0-3); the others run as they are")
      ->type_name("RANK[,RANK]")
      ->allow_extra_args(false)
      ->group(heading);
  add_option(app, "--timeout", options.timeout_s,
             "end the program after so many seconds and report what was finished (exit code 4)")
      ->type_name("S")
      ->check(in_range(0.001, 864000, "seconds"))
      ->group(heading);
}

void define(CLI::App& app, Actions& actions) {
  auto options = std::make_shared<AppOptions>();
  set_footer(
      app,
      "Runs PROGRAM with a profiler that the CUDA driver loads into it and into every process that it starts "
      "(Python, too). One launch of each kernel and configuration is replayed for its counters, the next one "
      "counts single instructions, which gives source lines where the program was compiled with -lineinfo; "
      "all others run as they would and are counted. Kernels of a cooperative launch or of NCCL and NVSHMEM "
      "are never replayed, and CUDA graphs are not looked into.\n\n"
      "The program's output is its own; the report follows it, or goes to --output. The exit code is that of "
      "the program (128 + N if signal N ended it), unless a gate does not hold. What was finished before a "
      "crash or a time-out is reported. In an MPI job: mpirun -n 4 gpuprobe app --output report.%r.json -- "
      "./solver, then gpuprobe merge report.*.json.");
  add_option(app, "PROGRAM", options->program, "after --: the program and its arguments");
  add_selection_options(app, *options);
  add_gate_options(app, options->gates);
  add_output_options(app, options->output, report_formats());
  actions[&app] = [options] { return profile_program(*options); };
}

}  // namespace

Command app_command() {
  return {"app", "profile every kernel launch of a program", kOwnCodeGroup, define};
}

}  // namespace gpuprobe::cli
