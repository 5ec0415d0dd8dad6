// What a run costs on each unit of the GPU, and what it would cost with some of that work gone.
//
// The model is small on purpose: the work on each unit over its rate, and the latency that the resident warps
// cannot hide. Its few efficiencies come from pairs of a kernel and its cure measured on one H200.
//
//   CostModel cost = CostModel::of(run, traffic);
//   cost.utilization(CostUnit::kDram)                     // 0.89
//   Gain gain = cost.gain_without({.lsu_wavefronts = 16252928});
#pragma once

#include <optional>
#include <string>

#include "core/finding.h"
#include "core/run.h"
#include "diagnose/access/traffic.h"
#include "diagnose/cost/range.h"
#include "diagnose/cost/relief.h"
#include "diagnose/cost/waits.h"
#include "diagnose/cost/work.h"

namespace gpuprobe::diagnose {

class CostModel {
 public:
  static CostModel of(const Run& run, const Traffic& traffic);

  /// Duration of the run: measured, or estimated from the work.
  double time_s() const { return time_s_; }
  bool time_is_measured() const { return time_is_measured_; }
  /// True if the time is neither measured nor estimable in seconds: only parts of it are known.
  bool time_is_relative() const { return time_is_relative_; }
  /// False if the device's rates are not known and general ones had to be assumed: intervals are wide then.
  bool rates_known() const { return rates_known_; }
  /// True if what bounds the run is an estimate from counted work.
  bool is_estimate() const { return !work_.has_measured_units; }

  const UnitLoad& load(CostUnit unit) const { return work_.at(unit); }
  /// busy / time of the SMs that have work, 0..1; 0 if unknown.
  double utilization(CostUnit unit) const;
  CostUnit busiest() const;
  /// Part of the cycles (0..1) in which the resident warps could issue if only their own chains and the
  /// latency of their loads held them up; nothing where the chains were not followed (measured runs).
  std::optional<double> issue_of_resident_warps() const;
  /// Time of the warps' dependent chains, if nothing else is in the way; {0, 0} if it cannot be told.
  Range latency_s() const { return latency_s_; }
  const Work& work() const { return work_; }
  /// Seconds that starting the blocks takes, whatever they do.
  double block_launch_s() const { return block_launch_s_; }

  /// Speed-up of the whole run if `relief` were gone; {1, 1} if it takes nothing away.
  Gain gain_without(const Relief& relief) const;
  /// The run's time without `relief`, from what its warps waited for; nothing where that was not measured or
  /// the relief is not of memory.
  struct Expected {
    Range seconds;
    std::string reasoning;  ///< empty: its warps do not wait for what goes
  };
  std::optional<Expected> expected_by_waits(const Relief& relief) const;
  /// Speed-up if accesses that may queue for `queued_s` seconds, should all of them meet at one place, did
  /// not.
  Gain gain_without_queue(double queued_s) const;
  /// Speed-up if up to `factor` times as many warps were resident.
  Gain gain_with_warps(double factor) const;
  /// The most that `factor` times as many warps can gain: until the busiest unit has no more headroom.
  double most_with_warps(double factor) const;
  /// True if the unit costs were measured on such a device: intervals are narrower then.
  bool is_calibrated() const { return calibrated_; }

 private:
  void estimate_time();
  Gain gain_by_work(const Relief& relief) const;
  /// Part of a unit's work that takes `seconds`.
  double part_of(CostUnit unit, double seconds) const;
  Range floor_latency() const;
  Gain make_gain(double after_high_s, double after_low_s, std::string reasoning) const;
  std::string amount(double seconds) const;

  Work work_;
  std::optional<Waits> waits_;
  Range latency_s_;
  bool chains_followed_ = false;  ///< latency_s_ has the warps' own pace, not a general one
  double resident_part_ = 1;      ///< warps that reside at once, of those that the occupancy would allow
  double block_launch_s_ = 0;
  double l2_bytes_ = 0;  ///< capacity; 0 = unknown
  double time_s_ = 0;
  bool time_is_measured_ = false;
  bool time_is_relative_ = false;
  bool rates_known_ = true;
  bool calibrated_ = false;
  Range wavefronts_saved_;  ///< part of the time of a removed wavefront that comes off the run's time
  Range lines_saved_;
  Range warps_gain_;
  Range waits_true_;     ///< measured time after a cure, over what the waits lead to expect
  Range latency_scale_;  ///< {0, 0}: the latency's own range holds
};

}  // namespace gpuprobe::diagnose
