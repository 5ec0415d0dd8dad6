// Predicted beside measured: where an exact count differs, the model or the measurement is wrong, and the
// reader must know.
#pragma once

#include <string>
#include <vector>

#include "core/report.h"

namespace gpuprobe::cli {

struct CountPair {
  std::string metric;
  double measured = 0;
  double predicted = 0;
};

/// The exact counts that both runs have (requests, sectors and their ideal; wavefronts per request of shared
/// memory, since the assembler may merge neighbouring loads), in catalog order.
std::vector<CountPair> comparable_counts(const Run& measured, const Run& predicted);

/// Adds a finding of kind prediction-mismatch to the measured run for each count that differs.
void add_mismatches(DiagnosedRun& measured, const Run& predicted);

}  // namespace gpuprobe::cli
