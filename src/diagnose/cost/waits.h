// What the warps of a measured run waited for, from the stall counters, and how long the run would take if
// the cause of some waits went. A second look beside the units' work: a unit that is 60 % busy explains the
// time only if the warps wait for it.
//
//   std::optional<Waits> waits = Waits::of(run, traffic, rates, 81.8e-6);
//   double seconds = waits->without_wavefronts({.utilization = 0.94, .removed = 0.85});
#pragma once

#include <optional>

#include "core/run.h"
#include "diagnose/access/traffic.h"
#include "diagnose/cost/range.h"
#include "diagnose/cost/rates.h"

namespace gpuprobe::diagnose {

/// A unit of the SM before a cure: how busy it is, and what part of its work goes (both 0..1).
struct UnitChange {
  double utilization = 0;
  double removed = 0;
};

/// What a cure leaves of the memory's work.
struct MemoryAfter {
  UnitChange look_ups;          ///< the L1 tag stage
  double queue_left = 1;        ///< of the busiest unit's work, 0..1
  double dram_busy_s = 0;       ///< seconds that DRAM needs for what is left
  bool may_stay_in_l2 = false;  ///< what is left fits in L2
};

class Waits {
 public:
  /// Nothing if a stall that counts, the occupancy or the duration was not measured.
  static std::optional<Waits> of(const Run& run, const Traffic& traffic, const Rates& rates,
                                 std::optional<double> duration_s);

  /// Seconds of the run with that much of the work of the shared-memory data stage gone.
  double without_wavefronts(UnitChange data_stage) const;
  /// Seconds of the run if its loads met only `after`. `low`: the data may stay in L2, and freed slots are
  /// filled at once.
  Range with_loads(const MemoryAfter& after) const;
  /// The same for its stores.
  double with_stores(const MemoryAfter& after) const;
  /// Cycles that a warp waits for one global load, and what it would wait on an idle GPU.
  double load_wait_cycles() const { return load_wait_; }
  double idle_load_cycles() const;
  /// Parts of the warps' time, 0..1.
  double behind_data_stage() const { return shared_ + drain_ + throttle_; }
  double for_stores() const { return drain_ + throttle_; }
  /// Seconds that launching the kernels takes, whatever they do, and the rest, in which warps run.
  double launch_s() const { return launch_s_; }
  double running_s() const { return time_s_ - launch_s_; }

 private:
  double shrunk(double part) const { return launch_s_ + (time_s_ - launch_s_) * part; }
  /// Part of the time for loads that is left when a load waits for `cycles`.
  double loads_left(double cycles) const;
  double loaded_cycles(const MemoryAfter& after) const;

  double time_s_ = 0;
  double launch_s_ = 0;
  double filled_ = 1;  ///< warp slots in use, of those that the occupancy allows
  double load_wait_ = 0;
  double dram_cycles_ = 0;
  double loads_ = 0;     ///< long scoreboard
  double throttle_ = 0;  ///< local/global queue full
  double shared_ = 0;    ///< short scoreboard and MIO queue
  double drain_ = 0;
  double barrier_ = 0;
};

}  // namespace gpuprobe::diagnose
