// `gpuprobe compare A B`: two reports, what changed between them.
#include <memory>

#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/log.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/session.h"

namespace gpuprobe::cli {
namespace {

struct CompareOptions {
  std::string before;
  std::string after;
  std::string output;
  LogOptions log;
};

Result<int> compare(const CompareOptions& options) {
  set_log_level(options.log.level());
  if (options.before.empty() || options.after.empty())
    return fail(ErrorCode::kUsage, "compare needs two reports", "gpuprobe compare before.json after.json");
  const auto output = Output::open(options.output);
  if (!output) return tl::unexpected(output.error());
  const auto before = read_report(options.before);
  if (!before) return tl::unexpected(before.error());
  const auto after = read_report(options.after);
  if (!after) return tl::unexpected(after.error());
  const auto pairs = pair_runs(*before, *after);
  if (pairs.empty())
    return fail(ErrorCode::kUsage, "there are no two runs to compare", "one of the reports is empty");
  std::string text;
  for (const auto& [one, other] : pairs) text += (text.empty() ? "" : "\n\n") + compare_runs(*one, *other);
  if (before->size() != after->size())
    warn("the reports have " + std::to_string(before->size()) + " and " + std::to_string(after->size()) +
         " runs; some were not compared");
  return (*output)->write(text).map([] { return 0; });
}

void define(CLI::App& app, Actions& actions) {
  auto options = std::make_shared<CompareOptions>();
  set_footer(
      app,
      "Compares the runs of two JSON reports: the same kernel with the same options where both have it, else "
      "one "
      "after the other. Shows the time ratio, the verdicts, which findings came and went, and every metric "
      "that "
      "differs.");
  add_option(app, "A", options->before, "the report before the change");
  add_option(app, "B", options->after, "the report after it");
  add_option(app, "--output", options->output,
             "write to FILE instead of stdout; it appears whole or not at all")
      ->type_name("FILE")
      ->group(kOutputHeading);
  add_log_options(app, options->log);
  actions[&app] = [options] { return compare(*options); };
}

}  // namespace

Command compare_command() {
  return {"compare", "what changed between two reports", kReportGroup, define};
}

}  // namespace gpuprobe::cli
