#include "diagnose/diagnose.h"

#include <algorithm>
#include <iterator>

#include "diagnose/context.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {

Diagnosis diagnose(const Run& run) {
  const Traffic traffic = Traffic::of(run);
  const Trust trust = Trust::check(run, traffic);
  const CostModel cost = CostModel::of(run, traffic);
  const Context context{run, traffic, cost, trust};

  Diagnosis diagnosis;
  for (const Rule& rule : rules()) {
    std::vector<Finding> found = rule.examine(context);
    std::move(found.begin(), found.end(), std::back_inserter(diagnosis.findings));
  }
  // The numbers of a kernel that computes something else say nothing about the one that was meant.
  if (run.check.state == CheckOutcome::State::kFailed)
    std::erase_if(diagnosis.findings, [](const Finding& finding) { return !is_correctness(finding.kind); });
  rank(diagnosis.findings);
  diagnosis.verdict = decide(context, diagnosis.findings);
  return diagnosis;
}

}  // namespace gpuprobe::diagnose
