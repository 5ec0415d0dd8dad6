// What curing an excess would take off each unit, as the cost model counts it.
#pragma once

#include "diagnose/context.h"

namespace gpuprobe::diagnose {

/// `sectors` of excess of global accesses of this kind.
Relief global_relief(const Context& context, const AccessTotals& totals, double sectors);
/// `wavefronts` of excess in shared memory.
inline Relief shared_relief(double wavefronts) {
  Relief relief;
  relief.lsu_wavefronts = wavefronts;
  return relief;
}

}  // namespace gpuprobe::diagnose
