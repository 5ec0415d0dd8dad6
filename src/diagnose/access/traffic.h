// The memory traffic of a run by kind of access: requests, what they cost and what they had to cost. Taken
// from the counters where they are exact, else summed over the access sites.
//
//   Traffic traffic = Traffic::of(run);
//   traffic.global_load.excess();      // sectors above the ideal
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run.h"

namespace gpuprobe::diagnose {

/// Totals of one kind of access. `unknown` says why a number that a rule needs is not there.
struct AccessTotals {
  AccessKind kind = AccessKind::kGlobalLoad;
  double requests = 0;
  double actual = 0;  ///< sectors, or wavefronts for shared memory
  double ideal = 0;
  double lines = 0;                ///< distinct 128-byte lines over all requests; 0 = not known
  std::vector<const Site*> sites;  ///< of this kind, most excess first
  std::string unknown;             ///< empty = all of the above can be used

  bool known() const { return unknown.empty(); }
  double excess() const { return actual > ideal ? actual - ideal : 0.0; }
  /// actual / ideal; 1 where there is no traffic.
  double ratio() const { return ideal > 0 ? actual / ideal : 1.0; }
  double actual_per_request() const { return requests > 0 ? actual / requests : 0.0; }
  double ideal_per_request() const { return requests > 0 ? ideal / requests : 0.0; }
};

struct Traffic {
  AccessTotals global_load;
  AccessTotals global_store;
  AccessTotals global_atomic;
  AccessTotals shared_load;
  AccessTotals shared_store;
  AccessTotals matrix_load;  ///< ldmatrix, which the counters of shared loads do not include
  AccessTotals matrix_store;
  AccessTotals shared_atomic;
  AccessTotals async_copy;  ///< shared-memory side of cp.async
  AccessTotals local_load;
  AccessTotals local_store;

  static Traffic of(const Run& run);
};

}  // namespace gpuprobe::diagnose
