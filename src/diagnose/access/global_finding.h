// The finding that all rules about excess sectors report, in the same words and with the same evidence.
#pragma once

#include <string>
#include <vector>

#include "diagnose/access/coalescing.h"
#include "diagnose/context.h"

namespace gpuprobe::diagnose {

/// "global loads" / "global stores".
const char* noun_of(const AccessTotals& totals);

/// One finding of `kind` for `part` of the excess of `totals`, with severity, gain, sites and evidence; empty
/// if the part is too small to be worth a line. `fact` begins the sentence: "global loads are scattered".
std::vector<Finding> global_finding(const Context& context, FindingKind kind, const AccessTotals& totals,
                                    const ExcessPart& part, const std::string& fact, const std::string& cure);

}  // namespace gpuprobe::diagnose
