// `gpuprobe metrics`: every name that --expect knows, with its unit, its meaning and the counters behind it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table.h"
#include "metrics/catalog.h"
#include "model/devices/devices.h"

namespace gpuprobe::cli {
namespace {

struct MetricsOptions {
  std::string pattern;
  std::string arch = "sm_90";
};

/// What stands behind the number on `chip`.
std::string origin_text(const MetricRow& row, const std::string& chip) {
  switch (row.kind) {
    case MetricRow::Kind::kCounter: {
      const CounterBinding* binding = binding_for(row, chip);
      return binding ? binding->counter : "no counter on " + chip;
    }
    case MetricRow::Kind::kRatio:
      return row.numerator + " / " + row.denominator;
    case MetricRow::Kind::kLargest:
      return fmt::format("largest of {}", fmt::join(row.parts, ", "));
    case MetricRow::Kind::kStatic:
      return "compiled kernel, launch or clock";
    case MetricRow::Kind::kSite:
      return "sum over the access sites";
  }
  return {};
}

std::string describe_row(const MetricRow& row, const std::string& chip) {
  std::string unit(to_string(row.unit));
  std::string out =
      row.name + (unit.empty() ? "" : "  [" + unit + "]") + (row.needs_gpu ? "  needs a GPU" : "") + "\n";
  out += wrap(row.help, 80, 4);
  out += "    = " + origin_text(row, chip) + "\n";
  return out;
}

Result<int> list_metrics(const MetricsOptions& options) {
  const DeviceSpec* device = device_for_arch(options.arch);
  if (!device) return fail(ErrorCode::kDefect, "no device file for " + options.arch, "");
  std::string out;
  for (const MetricRow& row : metric_catalog())
    if (row.name.find(options.pattern) != std::string::npos) out += describe_row(row, device->chip);
  if (out.empty())
    return fail(ErrorCode::kUsage, "no metric's name contains '" + options.pattern + "'",
                "list them all with gpuprobe metrics");
  return write_stdout(out).map([] { return 0; });
}

void define(CLI::App& app, Actions& actions) {
  auto options = std::make_shared<MetricsOptions>();
  add_option(app, "TEXT", options->pattern, "only metrics whose name contains TEXT");
  add_option(app, "--arch", options->arch, "show the counters of this architecture's chip (default sm_90)")
      ->type_name("ARCH")
      ->check(one_of("architecture", known_archs()));
  actions[&app] = [options] { return list_metrics(*options); };
}

}  // namespace

Command metrics_command() {
  return {"metrics", "the metric names, their units and the counters behind them", kAskGroup, define};
}

}  // namespace gpuprobe::cli
