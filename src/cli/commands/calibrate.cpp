// `gpuprobe calibrate`: measures on the GPU at hand what a wavefront, a line and a missing warp cost, from
// pairs of built-in kernels, and keeps it for the estimates of gains.
#include <fmt/format.h>

#include <deque>

#include "cli/accuracy/plan.h"
#include "cli/calibration_store.h"
#include "cli/command.h"
#include "cli/kernel_commands.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/profile.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "diagnose/cost/calibration.h"

namespace gpuprobe::cli {
namespace {

struct State {
  LogOptions log;
  SourceOptions source;
  MeasureOptions measure;
  bool dry_run = false;
  std::string from;
};

/// A built-in kernel before and after a change that leaves all other work as it is.
struct PairOf {
  const char* family;
  const char* before;
  const char* after;
};

// Each cost is measured with several kernels that differ in all else: the range over them is how far the cost
// depends on the kernel.
constexpr PairOf kWavefront[] = {
    {"banks", "--pitch 32", "--pitch 33"},
    {"transpose", "", "--pad"},
    {"transpose", "--type f64", "--type f64 --pad"},
    {"matmul", "--tile 32 --stage-transposed", "--tile 32 --stage-transposed --pad"}};
constexpr PairOf kLine[] = {{"matmul", "--order swapped", ""},
                            {"rowsum", "", "--variant block-per-row"},
                            {"transpose", "--variant naive-read", "--pad"}};
constexpr PairOf kScatter[] = {{"matmul", "--order swapped", ""},
                               {"stride", "--stride 4", "--stride 1 -n 16777216"},
                               {"stride", "--stride 8", "--stride 1 -n 8388608"},
                               {"copy", "--stride 8", ""},
                               {"structs", "--bytes 16", "--bytes 16 --layout soa"}};
constexpr PairOf kWarp[] = {{"pressure", "--shared 131072", "--shared 32768"},
                            {"pressure", "--shared 65536", "--shared 32768"}};
constexpr PairOf kLatency[] = {{"copy", "", nullptr},
                               {"saxpy", "", nullptr},
                               {"transpose", "--pad", nullptr},
                               {"transpose", "--swizzle", nullptr},
                               {"rowsum", "--variant block-per-row", nullptr}};

/// Where the runs come from: the GPU, or a recording of these kernels.
class Bench {
 public:
  Bench(const Sources& sources, const CollectOptions& options) : sources_(&sources), options_(options) {}
  explicit Bench(const std::vector<DiagnosedRun>& recorded) : recorded_(&recorded) {}

  /// The measured run; each kernel is run once, however many pairs it takes part in.
  Result<const Run*> run(const char* family_name, const char* options) {
    for (const auto& [name, known] : runs_)
      if (name == fmt::format("{} {}", family_name, options)) return &known;
    auto kernel = build_kernel(*find_kernel_family(family_name), with_options({}, options));
    if (!kernel) return tl::unexpected(kernel.error());
    if (recorded_) return recorded_run(*kernel);
    detail(fmt::format("measuring {} {}", family_name, options));
    auto made = profile(*kernel, *sources_, options_);
    if (!made) return tl::unexpected(made.error());
    if (kernel_failed(made->front().run))
      return fail(ErrorCode::kKernel, made->front().diagnosis.verdict.text, "Run `gpuprobe doctor`.");
    runs_.emplace_back(fmt::format("{} {}", family_name, options), std::move(made->front().run));
    return &runs_.back().second;
  }

  Status add(const PairOf& pair, std::vector<diagnose::RunPair>& pairs) {
    const auto before = run(pair.family, pair.before);
    if (!before) return tl::unexpected(before.error());
    const auto after = run(pair.family, pair.after);
    if (!after) return tl::unexpected(after.error());
    pairs.push_back({*before, *after});
    return {};
  }

 private:
  Result<const Run*> recorded_run(const Kernel& kernel) const {
    for (const DiagnosedRun& one : *recorded_)
      if (key_of(one.run) == key_of(kernel)) return &one.run;
    return fail(ErrorCode::kUsage, "the recording has no run of " + key_of(kernel),
                "Record it with `gpuprobe accuracy --record FILE` on a GPU.");
  }

  const Sources* sources_ = nullptr;
  const std::vector<DiagnosedRun>* recorded_ = nullptr;
  CollectOptions options_;
  std::deque<std::pair<std::string, Run>> runs_;  ///< a deque, so that its elements stay where they are
};

Result<Calibration> measure_costs(Bench bench) {
  diagnose::CalibrationPairs pairs;
  for (const PairOf& pair : kWavefront)
    if (Status added = bench.add(pair, pairs.wavefront); !added) return tl::unexpected(added.error());
  for (const PairOf& pair : kLine)
    if (Status added = bench.add(pair, pairs.line); !added) return tl::unexpected(added.error());
  for (const PairOf& pair : kScatter)
    if (Status added = bench.add(pair, pairs.scatter); !added) return tl::unexpected(added.error());
  for (const PairOf& pair : kWarp)
    if (Status added = bench.add(pair, pairs.warp); !added) return tl::unexpected(added.error());
  for (const PairOf& one : kLatency) {
    const auto run = bench.run(one.family, one.before);
    if (!run) return tl::unexpected(run.error());
    pairs.latency.push_back(*run);
  }
  auto costs = diagnose::calibrate(pairs);
  if (!costs) return costs;
  const Environment& environment = pairs.latency.front()->environment;
  costs->source = fmt::format("{}, driver {}, CUPTI {}, {}: gpuprobe calibrate", environment.device,
                              environment.driver, environment.cupti, environment.date);
  return costs;
}

std::string line_of(const char* name, const CostRange& range, const char* meaning) {
  return fmt::format("{:<10} {:5.2f} to {:5.2f}  {}\n", name, range.low, range.high, meaning);
}

std::string text_of(const Calibration& costs) {
  return costs.source + "\n\n" +
         line_of("wavefront", costs.wavefront, "of its cycle comes off the time when it goes") +
         line_of("line", costs.line, "of its cycle comes off the time when a look-up goes") +
         line_of("warp", costs.warp, "of what more resident warps could gain at most") +
         line_of("latency", costs.latency, "times the latency that the model counts") +
         line_of("waits", costs.waits, "times the time that the warps' waits let one expect after a cure");
}

/// Works the costs out of a recording again; they are printed, not kept.
Result<int> from_recording(const State& state) {
  const auto runs = read_report(state.from);
  if (!runs) return tl::unexpected(runs.error());
  const auto costs = measure_costs(Bench(*runs));
  if (!costs) return tl::unexpected(costs.error());
  if (Status written = write_stdout(text_of(*costs)); !written) return tl::unexpected(written.error());
  return 0;
}

Result<int> calibrate(const State& state) {
  set_log_level(state.log.level());
  if (!state.from.empty()) return from_recording(state);
  SourceOptions source = state.source;
  source.source = "gpu";
  const auto sources = Sources::open(source);
  if (!sources) {
    Error error = sources.error();
    if (error.code == ErrorCode::kMachine)
      error.hint =
          "calibrating needs a GPU whose counters can be read; `gpuprobe doctor` says what is missing here";
    return tl::unexpected(error);
  }
  const std::string device = sources->measuring()->device().name;
  const auto costs = measure_costs(Bench(*sources, collect_options(state.measure)));
  if (!costs) return tl::unexpected(costs.error());
  std::string text = text_of(*costs);
  if (!state.dry_run) {
    const auto path = store_calibration(device, *costs);
    if (!path) return tl::unexpected(path.error());
    text += "\nkept in " + *path + "\n";
  }
  if (Status written = write_stdout(text); !written) return tl::unexpected(written.error());
  return 0;
}

void define(CLI::App& app, Actions& actions) {
  auto state = std::make_shared<State>();
  add_option(app, "--device", state->source.device, "CUDA device to measure on (default 0)")
      ->type_name("N")
      ->check(whole_number(0, 1023, ""))
      ->group(kMeasureHeading);
  add_option(app, "--repeat", state->measure.repeat, "timed runs; the median is used (default 15)")
      ->type_name("N")
      ->check(whole_number(1, 100000, ""))
      ->group(kMeasureHeading);
  add_option(app, "--from", state->from,
             "work the costs out of this recording (`gpuprobe accuracy --record`) and print them")
      ->type_name("FILE")
      ->group(kMeasureHeading);
  add_flag(app, "--dry-run", state->dry_run, "print the costs and keep nothing")->group(kMeasureHeading);
  add_log_options(app, state->log);
  set_footer(
      app,
      "Runs pairs of built-in kernels that differ in one thing and derives what it costs. The result is kept "
      "for\n"
      "this device under ${XDG_DATA_HOME:-~/.local/share}/gpuprobe/calibration and narrows the intervals of\n"
      "expected gains, which are wide before.");
  actions[&app] = [state] { return calibrate(*state); };
}

}  // namespace

Command calibrate_command() {
  return {"calibrate", "measure what the units of this GPU cost, for narrower gains", kAskGroup, define};
}

}  // namespace gpuprobe::cli
