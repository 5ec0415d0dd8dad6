#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "cli/suggest.h"
#include "model/devices/devices.h"
#include "report/writer.h"

namespace gpuprobe::cli {
namespace {

// Limits that only keep a slip of the finger from running for days.
constexpr int kMostRuns = 100000;
constexpr double kLongestTimeout = 86400.0;
constexpr int kMostThreads = 1024;

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : separator) + word;
  return out;
}

}  // namespace

Check one_of(const std::string& what, std::vector<std::string> choices) {
  return [what, choices = std::move(choices)](const std::string& text) -> std::string {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
    return "unknown " + what + " '" + text + "' (one of " + joined(choices, ", ") + ")" +
           did_you_mean(text, choices);
  };
}

Check in_range(double low, double high, const std::string& unit) {
  return [=](const std::string& text) -> std::string {
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value)) return "'" + text + "' is not a number";
    if (value >= low && value <= high) return {};
    const std::string range = std::isinf(high)
                                  ? "at least " + CLI::detail::to_string(low)
                                  : CLI::detail::to_string(low) + " to " + CLI::detail::to_string(high);
    return "'" + text + "' is out of range; it must be " + range + (unit.empty() ? "" : " " + unit);
  };
}

Check whole_number(std::uint64_t low, std::uint64_t high, const std::string& unit) {
  return [=](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    // A number that is too large, or negative, is a whole number all the same.
    const bool digits =
        text.find_first_not_of("0123456789", text.starts_with('-') ? 1 : 0) == std::string::npos;
    if (error == std::errc{} && rest == end && value >= low && value <= high) return {};
    const bool whole = digits && !text.empty() && text != "-";
    return "'" + text + (whole ? "' is out of range; it must be " : "' is no whole number from ") +
           std::to_string(low) + " to " + std::to_string(high) + (unit.empty() ? "" : " " + unit);
  };
}

std::vector<std::string> split_list(const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (const std::string& value : values)
    for (std::string& part : CLI::detail::split(value, ',')) parts.push_back(std::move(part));
  return parts;
}

std::vector<std::string> report_formats() {
  std::vector<std::string> names;
  for (const report::Writer& writer : report::writers()) names.push_back(writer.name);
  return names;
}

std::vector<std::string> known_archs() {
  std::vector<std::string> archs;
  for (const DeviceSpec& device : known_devices())
    if (std::find(archs.begin(), archs.end(), device.arch) == archs.end()) archs.push_back(device.arch);
  return archs;
}

void add_log_options(CLI::App& app, LogOptions& options) {
  app.add_flag("-v,--verbose", options.verbose,
               "more: every metric and site in the report, progress on stderr")
      ->group(kOutputHeading);
  app.add_flag("-q,--quiet", options.quiet, "less: the verdict alone in the report, only errors on stderr")
      ->group(kOutputHeading);
}

void add_output_options(CLI::App& app, OutputOptions& options, const std::vector<std::string>& formats) {
  app.add_option("--format", options.format,
                 "form of the report: " + joined(formats, ", ") + " (default text)")
      ->type_name("FORMAT")
      ->check(one_of("format", formats))
      ->group(kOutputHeading);
  app.add_option(
         "--output", options.output,
         "write the report to FILE instead of stdout; the file appears whole or not at all; %r in its name "
         "becomes the rank under MPI or Slurm")
      ->type_name("FILE")
      ->group(kOutputHeading);
  app.add_option("--color", options.color,
                 "auto, always or never (default auto: on a terminal, unless NO_COLOR is set)")
      ->type_name("WHEN")
      ->check(one_of("colour mode", {"auto", "always", "never"}))
      ->group(kOutputHeading);
  add_log_options(app, options.log);
}

void add_source_options(CLI::App& app, SourceOptions& options) {
  app.add_option(
         "--source", options.source,
         "auto, gpu, model or both (default auto): measure on a GPU, predict without one, or do both and "
         "compare; auto measures if a usable GPU is there")
      ->type_name("SOURCE")
      ->check(one_of("source", {"auto", "gpu", "model", "both"}))
      ->group(kSourceHeading);
  app.add_option("--arch", options.arch,
                 "architecture to predict for: " + joined(known_archs(), ", ") +
                     " (default: the GPU's own; sm_90 without one)")
      ->type_name("ARCH")
      ->check(one_of("architecture", known_archs()))
      ->group(kSourceHeading);
  app.add_option_function<int>(
         "--device",
         [&options](int ordinal) {
           options.device = ordinal;
           options.device_given = true;
         },
         "CUDA device to measure on (default 0)")
      ->type_name("N")
      ->check(whole_number(0, 1023, ""))
      ->group(kSourceHeading);
  app.add_option_function<std::string>(
         "--counters", [&options](const std::string& text) { options.counters = text != "off"; },
         "on or off (default on); off measures the time and checks the result without CUPTI, so that another "
         "profiler can watch: only the --warmup and --repeat runs are launched")
      ->type_name("WHEN")
      ->check(one_of("choice", {"on", "off"}))
      ->group(kSourceHeading);
}

void add_measure_options(CLI::App& app, MeasureOptions& options) {
  std::vector<CLI::Option*> added;
  added.push_back(app.add_option("--warmup", options.warmup, "unmeasured runs before timing (default 3)")
                      ->type_name("N")
                      ->check(whole_number(0, kMostRuns, "")));
  added.push_back(
      app.add_option("--repeat", options.repeat, "timed runs; the median is reported (default 15)")
          ->type_name("N")
          ->check(whole_number(1, kMostRuns, "")));
  added.push_back(
      app.add_flag("--cold-cache", options.cold_cache, "flush the L2 cache before each timed run"));
  added.push_back(
      app.add_flag("--exact", options.exact, "predict by executing every block, not a sample of the grid"));
  added.push_back(
      app.add_option("--timeout", options.timeout_s, "seconds that the kernel itself may take (default 60)")
          ->type_name("S")
          ->check(in_range(0.001, kLongestTimeout, "seconds")));
  added.push_back(
      app.add_option("--threads", options.threads, "processor threads of a prediction (default: all cores)")
          ->type_name("N")
          ->check(whole_number(1, kMostThreads, "")));
  added.push_back(app.add_option("--seed", options.seed, "seed of the random inputs (default 1)")
                      ->type_name("N")
                      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max(), "")));
  for (CLI::Option* option : added) {
    option->group(kMeasureHeading);
    option->each([&options, name = option->get_name()](const std::string&) {
      if (options.given.empty() || options.given.back() != name) options.given.push_back(name);
    });
  }
}

void add_gate_options(CLI::App& app, GateOptions& options) {
  app.add_option(
         "--fail-on", options.fail_on,
         "fail if one of these findings (commas between them) is limiting or present; any = every kind")
      ->type_name("KIND[,KIND]")
      ->allow_extra_args(false)
      ->group(kGateHeading);
  app.add_option(
         "--expect", options.expect,
         "fail unless it holds, e.g. 'global.load.sectors_per_request <= 4'; operators == != < <= > >=; "
         "may be given several times; a missing number is exit code 3")
      ->type_name("'METRIC OP VALUE'")
      ->allow_extra_args(false)
      ->group(kGateHeading);
  app.add_option(
         "--baseline", options.baseline,
         "fail if the run is worse than the same run in this earlier JSON report: counts and occupancy by "
         "any amount, measured time on the same device by more than 10 %, or a new finding")
      ->type_name("FILE")
      ->group(kGateHeading);
}

void add_run_options(CLI::App& app, RunOptions& options) {
  add_source_options(app, options.source);
  add_measure_options(app, options.measure);
  add_gate_options(app, options.gates);
  add_output_options(app, options.output, report_formats());
}

}  // namespace gpuprobe::cli
