// What a script asks of a run: --expect, --fail-on. Pure: runs and gates in, outcomes out.
//
//   auto gates = parse_gates({"bank-conflict-load"}, {"global.load.sectors_per_request <= 4"});
//   for (const GateOutcome& o : evaluate_gates(*gates, runs)) ...      // runs of one kernel invocation
//   int code = gate_exit_code(outcomes);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/report.h"
#include "core/result.h"

namespace gpuprobe::cli {

enum class Comparison { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

/// "METRIC OP VALUE". A number is in the metric's base unit, or carries a suffix (s, ms, us, ns, %, KiB, MiB,
/// GiB).
struct Expectation {
  std::string metric;
  Comparison comparison = Comparison::kEqual;
  std::variant<double, std::string> value;  ///< a text only for a metric that is a text, with == and !=
  std::string text;                         ///< as typed
};

struct Gates {
  std::vector<Expectation> expectations;
  std::vector<FindingKind> fail_on;  ///< named kinds
  bool fail_on_any = false;

  bool none() const { return expectations.empty() && fail_on.empty() && !fail_on_any; }
};

struct GateOutcome {
  enum class State {
    kHeld,
    kFailed,
    kMissing,  ///< it needs a number that could not be had, so it did not hold
  };
  State state = State::kHeld;
  std::string text;  ///< one clause: what was asked and what was found
};

/// Errors: kUsage for bad grammar, an unknown metric (with a suggestion), a unit that does not fit.
Result<Expectation> parse_expectation(std::string_view text);
/// `fail_on`: kinds, already split at commas; "any" for all. Errors: kUsage.
Result<Gates> parse_gates(const std::vector<std::string>& fail_on, const std::vector<std::string>& expect);

/// Judges the runs of one invocation together (a measured and a predicted one with --source both). An
/// expectation must hold in every run that has the number, and one run must have it. A kind fails if any run
/// shows it limiting or present; it holds only if one run could have shown it. "any" holds only if no run is
/// inconclusive.
std::vector<GateOutcome> evaluate_gates(const Gates& gates, std::span<const DiagnosedRun> runs);

/// Why `run` cannot show a finding of this kind; empty if it can.
std::string why_not_judged(FindingKind kind, const Run& run);

/// 0 all held; 1 (kGate) one failed; 3 (kMachine) none failed but one could not be judged.
int gate_exit_code(const std::vector<GateOutcome>& outcomes);

}  // namespace gpuprobe::cli
