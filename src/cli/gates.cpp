#include "cli/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "cli/suggest.h"
#include "metrics/catalog.h"

namespace gpuprobe::cli {
namespace {

constexpr std::array<std::pair<std::string_view, Comparison>, 6> kOperators{{
    {"==", Comparison::kEqual},
    {"!=", Comparison::kNotEqual},
    {"<=", Comparison::kLessEqual},
    {">=", Comparison::kGreaterEqual},
    {"<", Comparison::kLess},
    {">", Comparison::kGreater},
}};

struct Suffix {
  std::string_view name;
  Unit unit;
  double scale;
};

constexpr std::array<Suffix, 8> kSuffixes{{
    {"ms", Unit::kSecond, 1e-3},
    {"us", Unit::kSecond, 1e-6},
    {"ns", Unit::kSecond, 1e-9},
    {"s", Unit::kSecond, 1.0},
    {"%", Unit::kPercent, 1.0},
    {"KiB", Unit::kByte, 1024.0},
    {"MiB", Unit::kByte, 1048576.0},
    {"GiB", Unit::kByte, 1073741824.0},
}};

// Room for the rounding of one division, nothing more: 524288 / 131072 must equal a typed 4.
constexpr double kRounding = 1e-12;

constexpr const char* kGrammar = "write it as 'METRIC OP VALUE', e.g. 'global.load.sectors_per_request <= 4'";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const MetricRow& row : metric_catalog()) names.push_back(row.name);
  return names;
}

tl::unexpected<Error> bad_expectation(std::string_view text, const std::string& why) {
  return fail(ErrorCode::kUsage, "--expect '" + std::string(text) + "': " + why, kGrammar);
}

bool is_text_metric(const std::string& name) {
  return name == "occupancy.limiter";
}

/// A finite number with an optional suffix of the metric's unit.
Result<double> parse_number(std::string_view whole, std::string_view text, const MetricRow& row) {
  double number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || !std::isfinite(number))
    return bad_expectation(whole, "'" + std::string(text) + "' is not a number");
  const std::string_view rest = trimmed(std::string_view(end, static_cast<std::size_t>(last - end)));
  if (rest.empty()) return number;
  for (const Suffix& suffix : kSuffixes)
    if (suffix.name == rest && suffix.unit == row.unit) return number * suffix.scale;
  return bad_expectation(whole, fmt::format("'{}' is no unit of {} (base unit: {})", rest, row.name,
                                            row.unit == Unit::kNone ? "none" : to_string(row.unit)));
}

bool holds(double value, Comparison comparison, double bound) {
  const bool equal = std::abs(value - bound) <= kRounding * std::max(std::abs(value), std::abs(bound));
  switch (comparison) {
    case Comparison::kEqual:
      return equal;
    case Comparison::kNotEqual:
      return !equal;
    case Comparison::kLess:
      return value < bound && !equal;
    case Comparison::kLessEqual:
      return value <= bound || equal;
    case Comparison::kGreater:
      return value > bound && !equal;
    case Comparison::kGreaterEqual:
      return value >= bound || equal;
  }
  return false;
}

/// nullopt if the run has no such value.
std::optional<bool> expectation_holds(const Expectation& expectation, const Run& run) {
  if (const auto* bound = std::get_if<double>(&expectation.value)) {
    const auto number = run.counters.number(expectation.metric);
    if (!number || std::isnan(*number)) return std::nullopt;
    return holds(*number, expectation.comparison, *bound);
  }
  const auto text = run.counters.text(expectation.metric);
  if (!text) return std::nullopt;
  return (*text == std::get<std::string>(expectation.value)) ==
         (expectation.comparison == Comparison::kEqual);
}

std::string found_value(const Expectation& expectation, const Run& run) {
  if (const auto text = run.counters.text(expectation.metric)) return *text;
  return fmt::format("{:.10g}", run.counters.number(expectation.metric).value_or(0));
}

std::string unit_suffix(const Expectation& expectation) {
  const MetricRow* row = find_metric(expectation.metric);
  const std::string_view unit = row ? to_string(row->unit) : "";
  return unit.empty() ? "" : " " + std::string(unit);
}

GateOutcome judge(const Expectation& expectation, std::span<const DiagnosedRun> runs) {
  bool known = false;
  for (const DiagnosedRun& one : runs) {
    const auto result = expectation_holds(expectation, one.run);
    if (!result) continue;
    known = true;
    if (!*result)
      return {GateOutcome::State::kFailed,
              fmt::format("expected {}, {} {}{}", expectation.text, to_string(one.run.source),
                          found_value(expectation, one.run), unit_suffix(expectation))};
  }
  if (known) return {GateOutcome::State::kHeld, expectation.text};
  const std::string reason =
      runs.empty() ? "nothing was run" : runs.front().run.counters.missing_reason(expectation.metric);
  return {GateOutcome::State::kMissing,
          fmt::format("expected {}, but there is no such number: {}", expectation.text,
                      reason.empty() ? "it is not a number" : reason)};
}

const Finding* offending(FindingKind kind, const Diagnosis& diagnosis) {
  for (const Finding& finding : diagnosis.findings)
    if (finding.kind == kind && finding.severity != Severity::kNegligible) return &finding;
  return nullptr;
}

GateOutcome judge(FindingKind kind, std::span<const DiagnosedRun> runs) {
  const std::string name(to_string(kind));
  std::string why_not = "nothing was run";
  bool judged = false;
  for (const DiagnosedRun& one : runs) {
    if (const Finding* finding = offending(kind, one.diagnosis))
      return {GateOutcome::State::kFailed,
              fmt::format("{} ({}): {}", name, to_string(finding->severity), finding->text)};
    why_not = why_not_judged(kind, one.run);
    judged = judged || why_not.empty();
  }
  if (judged) return {GateOutcome::State::kHeld, "no " + name};
  return {GateOutcome::State::kMissing, fmt::format("{} could not be judged: {}", name, why_not)};
}

GateOutcome judge_any(std::span<const DiagnosedRun> runs) {
  for (const DiagnosedRun& one : runs)
    for (const Finding& finding : one.diagnosis.findings)
      if (finding.severity != Severity::kNegligible)
        return {GateOutcome::State::kFailed, fmt::format("{} ({}): {}", to_string(finding.kind),
                                                         to_string(finding.severity), finding.text)};
  for (const DiagnosedRun& one : runs)
    if (one.diagnosis.verdict.kind == "inconclusive")
      return {GateOutcome::State::kMissing, "the verdict is inconclusive: " + one.diagnosis.verdict.text};
  return {GateOutcome::State::kHeld, "no finding"};
}

}  // namespace

Result<Expectation> parse_expectation(std::string_view text) {
  const std::size_t at = text.find_first_of("=!<>");
  if (at == std::string_view::npos) return bad_expectation(text, "there is no operator");
  Expectation expectation;
  expectation.text = std::string(trimmed(text));
  expectation.metric = std::string(trimmed(text.substr(0, at)));
  std::string_view rest = text.substr(at);
  const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                  [rest](const auto& op) { return rest.starts_with(op.first); });
  if (found == kOperators.end()) return bad_expectation(text, "the operator is none of == != < <= > >=");
  expectation.comparison = found->second;
  rest = trimmed(rest.substr(found->first.size()));
  const MetricRow* row = find_metric(expectation.metric);
  if (!row)
    return fail(ErrorCode::kUsage,
                "--expect '" + std::string(text) + "': unknown metric '" + expectation.metric + "'" +
                    did_you_mean(expectation.metric, metric_names()),
                "gpuprobe metrics lists them");
  if (is_text_metric(row->name)) {
    const bool comparable =
        expectation.comparison == Comparison::kEqual || expectation.comparison == Comparison::kNotEqual;
    if (!comparable || rest.empty())
      return bad_expectation(text, row->name + " is a text: compare it with == or !=");
    expectation.value = std::string(rest);
    return expectation;
  }
  const auto number = parse_number(text, rest, *row);
  if (!number) return tl::unexpected(number.error());
  expectation.value = *number;
  return expectation;
}

Result<Gates> parse_gates(const std::vector<std::string>& fail_on, const std::vector<std::string>& expect) {
  Gates gates;
  for (const std::string& text : expect) {
    auto expectation = parse_expectation(text);
    if (!expectation) return tl::unexpected(expectation.error());
    gates.expectations.push_back(std::move(*expectation));
  }
  for (const std::string& name : fail_on) {
    const auto kind = finding_kind_from_string(name);
    if (name == "any") {
      gates.fail_on_any = true;
    } else if (kind) {
      gates.fail_on.push_back(*kind);
    } else {
      std::vector<std::string> names{"any"};
      for (FindingKind known : all_finding_kinds()) names.emplace_back(to_string(known));
      return fail(ErrorCode::kUsage, "--fail-on: unknown finding '" + name + "'" + did_you_mean(name, names),
                  "the findings: " + fmt::format("{}", fmt::join(names, ", ")));
    }
  }
  return gates;
}

std::vector<GateOutcome> evaluate_gates(const Gates& gates, std::span<const DiagnosedRun> runs) {
  std::vector<GateOutcome> outcomes;
  for (const Expectation& expectation : gates.expectations) outcomes.push_back(judge(expectation, runs));
  for (FindingKind kind : gates.fail_on) outcomes.push_back(judge(kind, runs));
  if (gates.fail_on_any) outcomes.push_back(judge_any(runs));
  return outcomes;
}

std::string why_not_judged(FindingKind kind, const Run& run) {
  const auto needs = [&run](std::string_view metric) {
    return run.counters.value(metric)
               ? std::string()
               : std::string(metric) + " is missing: " + run.counters.missing_reason(metric);
  };
  const bool predicted = run.source == Origin::kPredicted || run.recorded_from == "predicted";
  switch (kind) {
    case FindingKind::kUncoalescedLoad:
      return needs("global.load.sectors");
    case FindingKind::kUncoalescedStore:
      return needs("global.store.sectors");
    case FindingKind::kBankConflictLoad:
      return needs("shared.load.wavefronts");
    case FindingKind::kBankConflictStore:
      return needs("shared.store.wavefronts");
    case FindingKind::kMisaligned:
    case FindingKind::kAsyncCopyConflict:
    case FindingKind::kAtomicContention:
      return predicted || !run.sites.empty() ? "" : "there are no counts per source line";
    case FindingKind::kOccupancyRegisters:
    case FindingKind::kOccupancyShared:
    case FindingKind::kOccupancyBlockSize:
      return needs("occupancy.theoretical");
    case FindingKind::kGridTooSmall:
    case FindingKind::kTail:
      return needs("launch.waves");
    case FindingKind::kPartialWarps:
    case FindingKind::kNarrowBlock:
      return needs("launch.block_threads");
    case FindingKind::kLocalMemory:
      return needs("launch.local_bytes");
    case FindingKind::kImbalance:
      return needs("occupancy.achieved");
    case FindingKind::kSharedRace:
    case FindingKind::kDivergentBarrier:
    case FindingKind::kUninitialisedShared:
    case FindingKind::kOutOfBounds:
    case FindingKind::kMisalignedAddress:
    case FindingKind::kBlockOrder:
    case FindingKind::kBlockWait:
      return predicted ? "" : "only a prediction sees every access; use --source model or --source both";
    case FindingKind::kPredictionMismatch:
      return "it needs a measurement beside the prediction; use --source both";
  }
  return {};
}

int gate_exit_code(const std::vector<GateOutcome>& outcomes) {
  int code = 0;
  for (const GateOutcome& outcome : outcomes) {
    if (outcome.state == GateOutcome::State::kFailed) return static_cast<int>(ErrorCode::kGate);
    if (outcome.state == GateOutcome::State::kMissing) code = static_cast<int>(ErrorCode::kMachine);
  }
  return code;
}

}  // namespace gpuprobe::cli
