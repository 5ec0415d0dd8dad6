// From findings to a diagnosis: severity by what the cure would gain, order by cost, and one verdict.
#pragma once

#include <string>
#include <vector>

#include "core/finding.h"
#include "diagnose/context.h"

namespace gpuprobe::diagnose {

/// A cure that gains less than this is lost between runs: clocks and DRAM refresh alone move the time of the
/// recorded kernels by one to three per cent.
inline constexpr double kPresentGain = 1.02;
/// A cure is worth a change of the source from about ten per cent on: the size of the smallest step between
/// two variants that the documents of the field call an optimisation, and above any spread between runs.
inline constexpr double kLimitingGain = 1.10;

/// Severity from the geometric middle of the interval.
Severity severity_of(const Gain& gain);
/// True if the finding is about wrong results, not about time: it heads the report whatever it costs.
bool is_correctness(FindingKind kind);
/// Limiting first, correctness before performance, then by gain.
void rank(std::vector<Finding>& findings);
/// The limits of the severities with their reasons, for `gpuprobe explain`.
std::vector<std::string> severity_thresholds();
/// The one thing that heads the report; `findings` are ranked.
Verdict decide(const Context& context, const std::vector<Finding>& findings);

}  // namespace gpuprobe::diagnose
