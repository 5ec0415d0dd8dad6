// The finding that all rules about excess sectors report, in the same words and with the same evidence.
#pragma once

#include <string>
#include <vector>

#include "diagnose/access/coalescing.h"
#include "diagnose/context.h"

namespace gpuprobe::diagnose {

/// Part of the sectors of its kind below which an excess that gains nothing is not even mentioned.
inline constexpr double kSectorsWorthALine = 0.05;
/// The same as a sentence, for `gpuprobe explain`.
std::string sectors_threshold();

/// "global loads" / "global stores".
const char* noun_of(const AccessTotals& totals);

/// One finding of `kind` for `part` of the excess of `totals`, with severity, gain, sites and evidence; empty
/// if the part is too small to be worth a line. `fact` begins the sentence: "global loads are scattered".
std::vector<Finding> global_finding(const Context& context, FindingKind kind, const AccessTotals& totals,
                                    const ExcessPart& part, const std::string& fact, const std::string& cure);

}  // namespace gpuprobe::diagnose
