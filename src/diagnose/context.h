// What a rule may look at: the run, its memory traffic by kind of access, what its units had to do, and which
// numbers are to be trusted.
#pragma once

#include "core/occupancy.h"
#include "core/run.h"
#include "diagnose/access/traffic.h"
#include "diagnose/cost/model.h"
#include "diagnose/trust.h"

namespace gpuprobe::diagnose {

struct Context {
  const Run& run;
  const Traffic& traffic;
  const CostModel& cost;
  const Trust& trust;

  /// The occupancy table of the heaviest launch, or nullptr if the run has none.
  const OccupancyTable* occupancy() const { return run.occupancy.empty() ? nullptr : &run.occupancy.front(); }
};

}  // namespace gpuprobe::diagnose
