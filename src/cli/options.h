// The options that several commands share, each group declared in one place. A command takes only the groups
// that do something for it.
//
//   auto options = std::make_shared<RunOptions>();
//   add_run_options(app, *options);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
namespace gpuprobe::cli {

/// Headings of the option groups in --help.
inline constexpr const char* kSourceHeading = "Source of the numbers";
inline constexpr const char* kMeasureHeading = "Measuring and predicting";
inline constexpr const char* kGateHeading = "Gates (exit code 1 if one does not hold)";
inline constexpr const char* kOutputHeading = "Output";

struct LogOptions {
  int verbose = 0;
  bool quiet = false;

  /// -1 quiet, 0 normal, 1 -v, 2 -vv.
  int level() const { return quiet ? -1 : verbose; }
};

struct OutputOptions {
  LogOptions log;
  std::string format = "text";
  std::string output;  ///< "" = stdout
  std::string color = "auto";
};

struct SourceOptions {
  std::string source = "auto";
  std::string arch;  ///< "" = the device's, or the default of a prediction
  int device = 0;
  bool device_given = false;
  bool counters = true;  ///< false: measure the time alone, without CUPTI
};

struct MeasureOptions {
  int warmup = 3;
  int repeat = 15;
  bool cold_cache = false;
  bool exact = false;
  double timeout_s = 60.0;
  int threads = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> given;  ///< names of the options of this group that the user typed
};

struct GateOptions {
  std::vector<std::string> fail_on;
  std::vector<std::string> expect;
  std::string baseline;

  bool empty() const { return fail_on.empty() && expect.empty() && baseline.empty(); }
};

struct RunOptions {
  SourceOptions source;
  MeasureOptions measure;
  GateOptions gates;
  OutputOptions output;
};

/// -v and -q.
void add_log_options(CLI::App& app, LogOptions& options);
/// --format with the given choices, --output, --color, -v, -q.
void add_output_options(CLI::App& app, OutputOptions& options, const std::vector<std::string>& formats);
/// --source, --arch, --device.
void add_source_options(CLI::App& app, SourceOptions& options);
/// --warmup, --repeat, --cold-cache, --exact, --timeout, --threads, --seed.
void add_measure_options(CLI::App& app, MeasureOptions& options);
/// --fail-on, --expect, --baseline.
void add_gate_options(CLI::App& app, GateOptions& options);
/// All of them, with the report's formats.
void add_run_options(CLI::App& app, RunOptions& options);

/// Names of the report writers.
std::vector<std::string> report_formats();
/// Architectures that can be predicted, ascending: "sm_75" ...
std::vector<std::string> known_archs();

/// A check that accepts only `choices`, with a "did you mean" for anything else.
Check one_of(const std::string& what, std::vector<std::string> choices);
/// A check that a number lies in [low, high] and says so if not. `high` may be infinite.
Check in_range(double low, double high, const std::string& unit);
/// The same for a number that has no fraction, typed in decimal digits.
Check whole_number(std::uint64_t low, std::uint64_t high, const std::string& unit);
/// Splits "a,b" given once or several times into its parts.
std::vector<std::string> split_list(const std::vector<std::string>& values);

}  // namespace gpuprobe::cli
