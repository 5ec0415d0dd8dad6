// A rule looks at one run and reports the findings of its kind. One file under rules/ a rule: it defines
// `Rule <file name>_rule()`, and CMake writes the registry.
//
//   Rule bank_conflict_rule() { return {"bank_conflict", {FindingKind::kBankConflictLoad}, examine}; }
#pragma once

#include <string>
#include <vector>

#include "core/finding.h"
#include "diagnose/context.h"

namespace gpuprobe::diagnose {

struct Rule {
  std::string name;                ///< the file name
  std::vector<FindingKind> kinds;  ///< what it can report
  /// Findings in any order. Where curing the finding changes the time, `gain` is set and the severity follows
  /// from it; a rule whose findings are true whatever they cost sets the severity itself.
  std::vector<Finding> (*examine)(const Context& context) = nullptr;
  /// Its limits with their reasons, one sentence each, written from the constants that it uses: for `gpuprobe
  /// explain`.
  std::vector<std::string> thresholds = {};
};

/// All rules, sorted by name. Written by CMake from the files of rules/.
const std::vector<Rule>& rules();

}  // namespace gpuprobe::diagnose
