#include "cli/session.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "cli/baseline.h"
#include "cli/log.h"
#include "cli/profile.h"
#include "cli/sources.h"
#include "metrics/recorded/recorded.h"

namespace gpuprobe::cli {
namespace {

constexpr std::size_t kLargestFile = 256u << 20;  ///< a longer one is no source and no report

/// Says which of the typed options do nothing for the source that was chosen.
void warn_of_idle_options(const MeasureOptions& options, const Sources& sources) {
  for (const std::string& name : options.given) {
    const bool for_gpu = name == "--warmup" || name == "--repeat" || name == "--cold-cache";
    const bool for_model = name == "--exact" || name == "--threads";
    if (for_gpu && !sources.measuring()) warn(name + " has no effect on a prediction");
    if (for_model && !sources.predicts()) warn(name + " has no effect on a measurement");
  }
}

void print_outcomes(const std::vector<GateOutcome>& outcomes) {
  for (const GateOutcome& outcome : outcomes) {
    if (outcome.state == GateOutcome::State::kHeld) detail("gate held: " + outcome.text);
    if (outcome.state == GateOutcome::State::kFailed) print_failure("gate failed: " + outcome.text);
    if (outcome.state == GateOutcome::State::kMissing) print_failure("gate not judged: " + outcome.text);
  }
}

void append(std::vector<GateOutcome>& all, std::vector<GateOutcome> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Result<Plan> Plan::make(const GateOptions& gates, const OutputOptions& output) {
  Plan plan;
  auto parsed = parse_gates(split_list(gates.fail_on), gates.expect);
  if (!parsed) return tl::unexpected(parsed.error());
  plan.gates = std::move(*parsed);
  plan.writer = report::find_writer(output.format);
  if (!plan.writer) return fail(ErrorCode::kUsage, "unknown format '" + output.format + "'", "see --help");
  if (!gates.baseline.empty()) {
    auto baseline = read_report(gates.baseline);
    if (!baseline) return tl::unexpected(baseline.error());
    plan.baseline = std::move(*baseline);
    plan.has_baseline = true;
  }
  auto opened = Output::open(output.output);
  if (!opened) return tl::unexpected(opened.error());
  plan.output = std::move(*opened);
  // A file is coloured only on demand: its reader is not known.
  plan.write.color =
      plan.output->is_stdout() ? use_color(output.color, STDOUT_FILENO) : output.color == "always";
  plan.write.verbosity = output.log.level();
  return plan;
}

Result<std::string> read_text_file(const std::string& path) {
  const auto unreadable = [&](const std::string& why) {
    return fail(ErrorCode::kUsage, "cannot read '" + path + "': " + why,
                "check the path and its permissions");
  };
  const int file = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unreadable(std::strerror(errno));
  std::string text;
  ssize_t count = 0;
  while (true) {
    constexpr std::size_t kPiece = 1 << 20;
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    count = ::read(file, text.data() + size, kPiece);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || text.size() > kLargestFile) break;
  }
  const int reason = errno;
  close(file);
  if (count < 0) return unreadable(std::strerror(reason));
  if (text.size() > kLargestFile)
    return unreadable("it has more than " + std::to_string(kLargestFile >> 20) + " MiB");
  return text;
}

Result<std::vector<DiagnosedRun>> read_report(const std::string& path) {
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  auto runs = recorded::read_runs(*text, path == "-" ? "stdin" : path);
  if (!runs) return tl::unexpected(runs.error());
  std::vector<DiagnosedRun> diagnosed;
  for (Run& run : *runs) diagnosed.push_back(diagnose_run(std::move(run)));
  return diagnosed;
}

Report make_report(std::vector<DiagnosedRun> runs) {
  Report report;
  if (!runs.empty()) report.environment = runs.front().run.environment;
  report.runs = std::move(runs);
  return report;
}

int judge_runs(const Plan& plan, std::span<const DiagnosedRun> runs, bool together) {
  std::vector<GateOutcome> outcomes;
  if (runs.empty() && !plan.gates.none())
    outcomes.push_back({GateOutcome::State::kMissing, "there is no launch to judge"});
  for (std::size_t i = 0; i < runs.size(); i += together ? runs.size() : 1)
    append(outcomes, evaluate_gates(plan.gates, together ? runs : runs.subspan(i, 1)));
  if (plan.has_baseline) append(outcomes, compare_with_baseline(runs, plan.baseline));
  print_outcomes(outcomes);
  const bool failed =
      std::any_of(runs.begin(), runs.end(), [](const DiagnosedRun& one) { return kernel_failed(one.run); });
  return failed ? static_cast<int>(ErrorCode::kKernel) : gate_exit_code(outcomes);
}

int worse_exit_code(int a, int b) {
  for (ErrorCode code : {ErrorCode::kKernel, ErrorCode::kGate, ErrorCode::kMachine})
    if (a == static_cast<int>(code) || b == static_cast<int>(code)) return static_cast<int>(code);
  return std::max(a, b);
}

Result<int> finish(const Plan& plan, std::vector<DiagnosedRun> runs, bool together) {
  const Report report = make_report(std::move(runs));
  if (Status written = plan.output->write(plan.writer->write(report, plan.write)); !written)
    return tl::unexpected(written.error());
  return judge_runs(plan, report.runs, together);
}

Result<int> profile_and_report(Kernel kernel, const RunOptions& options, const ChangesOf& changes) {
  set_log_level(options.output.log.level());
  auto plan = Plan::make(options.gates, options.output);
  if (!plan) return tl::unexpected(plan.error());
  const auto sources = Sources::open(options.source);
  if (!sources) return tl::unexpected(sources.error());
  warn_of_idle_options(options.measure, *sources);
  kernel.seed = options.measure.seed;
  auto runs = profile(kernel, *sources, collect_options(options.measure));
  if (!runs) return tl::unexpected(runs.error());
  if (changes) prove(*runs, changes, *sources, collect_options(options.measure));
  return finish(*plan, std::move(*runs), true);
}

}  // namespace gpuprobe::cli
