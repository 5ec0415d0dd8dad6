#include "diagnose/cost/waits.h"

#include <algorithm>
#include <cmath>

namespace gpuprobe::diagnose {
namespace {

/// Between two launches in a stream on an H200 an empty kernel takes 4 to 6.5 us from event to event; about
/// this much of it is left as soon as a kernel works at all (recorded stride and banks, 4 to 10 us).
constexpr double kLaunchSeconds = 2.5e-6;
/// A load that hits L2, unloaded: 260 to 270 cycles on Hopper (Luo et al., "Benchmarking and Dissecting the
/// Nvidia Hopper GPU Architecture via Microbenchmarking", 2024).
constexpr double kL2HitCycles = 270.0;
/// DRAM answers later the busier it is: 800 cycles at half of its peak, 860 at 60 % (recorded stride, whose
/// threads keep one load in flight), against 660 when idle.
constexpr double kLatencyGrowth = 0.4;
/// A data stage this busy delays the barriers behind it too; from the second bound on it alone sets the pace.
constexpr double kDelaysBarriers = 0.60;
constexpr double kSetsPace = 0.80;
constexpr double kSaturated = 0.95;
/// What a stage of the SM reaches of its peak in kernels without a fault (recorded: 0.76 matmul, 0.91 tiled).
constexpr double kReached = 0.85;
/// Part of the warps' time behind one unit from which on that unit alone sets the pace.
constexpr double kMostWait = 0.60;
constexpr double kAllWait = 0.95;

double ramp(double value, double from, double to) {
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

/// How far a unit alone sets the pace of warps that spend `behind` of their time on it, 0..1.
double alone(double behind, UnitChange unit) {
  return ramp(unit.utilization, kSetsPace, kSaturated) * ramp(behind, kMostWait, kAllWait);
}

/// Part of the time that is left: `by_waits` where the unit is one of several things that warps wait for,
/// what is left of the unit's own work where it alone sets the pace.
double paced(double by_waits, double behind, UnitChange unit) {
  const double by_work =
      std::max(1.0 - unit.utilization * unit.removed, unit.utilization * (1.0 - unit.removed) / kReached);
  const double pace = alone(behind, unit);
  return std::pow(by_waits, 1.0 - pace) * std::pow(std::min(1.0, by_work), pace);
}

}  // namespace

std::optional<Waits> Waits::of(const Run& run, const Traffic& traffic, const Rates& rates,
                               std::optional<double> duration_s) {
  const auto part = [&run](const char* metric) {
    const auto percent = run.counters.number(metric);
    return percent && std::isfinite(*percent) ? std::optional(*percent / 100.0) : std::nullopt;
  };
  const auto loads = part("stall.long_scoreboard");
  const auto throttle = part("stall.lg_throttle");
  const auto shared = part("stall.short_scoreboard");
  const auto queue = part("stall.mio_throttle");
  const auto drain = part("stall.drain");
  const auto barrier = part("stall.barrier");
  const auto achieved = part("occupancy.achieved");
  if (!loads || !throttle || !shared || !queue || !drain || !barrier || !achieved || !duration_s)
    return std::nullopt;

  Waits waits;
  waits.time_s_ = *duration_s;
  waits.launch_s_ = std::min(*duration_s / 2.0,
                             kLaunchSeconds * std::max<double>(1.0, static_cast<double>(run.steps.size())));
  waits.loads_ = *loads;
  waits.throttle_ = *throttle;
  waits.shared_ = *shared + *queue;
  waits.drain_ = *drain;
  waits.barrier_ = *barrier;
  waits.dram_cycles_ = rates.dram_latency_cycles;
  const double blocks = static_cast<double>(run.main_launch().grid.count());
  const double sms = std::min(rates.sms, std::max(1.0, blocks));
  const double warp_cycles = *achieved * run.device.max_warps_per_sm * sms * *duration_s * rates.clock_hz;
  if (traffic.global_load.requests > 0)
    waits.load_wait_ = (*loads + *throttle) * warp_cycles / traffic.global_load.requests;
  if (!run.occupancy.empty() && run.occupancy.front().theoretical_percent > 0)
    waits.filled_ = std::min(1.0, 100.0 * *achieved / run.occupancy.front().theoretical_percent);
  return waits;
}

double Waits::without_wavefronts(UnitChange data_stage) const {
  // Warps arrive late at a barrier because of the waits before it.
  const double before_barrier = shared_ + loads_;
  const double barrier = before_barrier > 0 ? barrier_ * shared_ / before_barrier *
                                                  ramp(data_stage.utilization, kDelaysBarriers, kSetsPace)
                                            : 0.0;
  const double behind = std::min(1.0, behind_data_stage() + barrier);
  return shrunk(paced(1.0 - behind * data_stage.removed, behind, data_stage));
}

double Waits::idle_load_cycles() const {
  return std::min(load_wait_, dram_cycles_);
}

double Waits::loads_left(double cycles) const {
  return load_wait_ > 0 ? std::clamp(cycles / load_wait_, 0.0, 1.0) : 1.0;
}

double Waits::loaded_cycles(const MemoryAfter& after) const {
  // How busy DRAM is depends on the time, and the time on how busy it is: a few steps settle it.
  double time = time_s_;
  double cycles = dram_cycles_;
  for (int step = 0; step < 4; ++step) {
    const double busy = std::min(0.9, after.dram_busy_s / time);
    cycles = std::max(dram_cycles_ / (1.0 - kLatencyGrowth * busy), load_wait_ * after.queue_left);
    time = shrunk(1.0 - (loads_ + throttle_) * (1.0 - loads_left(cycles)));
  }
  return cycles;
}

Range Waits::with_loads(const MemoryAfter& after) const {
  const double waiting = loads_ + throttle_;
  const auto left_at = [&](double cycles) {
    return paced(1.0 - waiting * (1.0 - loads_left(cycles)), waiting, after.look_ups);
  };
  const double left = left_at(loaded_cycles(after));
  const double least = after.may_stay_in_l2 ? left_at(kL2HitCycles) : left;
  // Slots that stood empty between blocks may do so for as long as before, unless one unit held all up.
  const double empty = (1.0 - filled_) * (1.0 - alone(waiting, after.look_ups));
  return {shrunk(std::min(left, least)), std::max(shrunk(left), time_s_ * (empty + (1.0 - empty) * left))};
}

double Waits::with_stores(const MemoryAfter& after) const {
  const double stores = for_stores() * (1.0 - after.queue_left);
  const double loads = loads_ * (1.0 - loads_left(loaded_cycles(after)));
  return shrunk(1.0 - stores - loads);
}

}  // namespace gpuprobe::diagnose
