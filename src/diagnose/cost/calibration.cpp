#include "diagnose/cost/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "diagnose/access/relief.h"
#include "diagnose/access/traffic.h"
#include "diagnose/cost/model.h"

namespace gpuprobe::diagnose {
namespace {

/// Clocks alone move the time of a kernel by one to three per cent between runs, so a cost lies that much
/// beyond the values that were seen.
constexpr double kSpread = 0.05;

double time_of(const Run& run) {
  return run.counters.number("time.duration").value_or(0);
}

tl::unexpected<Error> untrusted(const Run& run, const std::string& why) {
  return fail(ErrorCode::kMachine, fmt::format("{} gives no unit cost: {}", run.kernel, why),
              "Run it again on an idle GPU whose counters can be read (`gpuprobe doctor`).");
}

class Costs {
 public:
  Status add(const Run& run, double cost) {
    if (!std::isfinite(cost) || cost <= 0)
      return untrusted(run, "the times before and after do not differ as the counted work does");
    range_.low = std::min(range_.low, cost);
    range_.high = std::max(range_.high, cost);
    return {};
  }
  CostRange range() const { return {range_.low * (1.0 - kSpread), range_.high * (1.0 + kSpread)}; }

 private:
  CostRange range_{1e300, 0};
};

/// The saved time over the time that the model counts for the work that went.
using SavedWork = std::function<double(const CostModel& before, const CostModel& after, const Traffic& old,
                                       const Traffic& now)>;

Result<CostRange> saved(const std::vector<RunPair>& pairs, const SavedWork& seconds_of) {
  Costs costs;
  for (const RunPair& pair : pairs) {
    if (time_of(*pair.before) <= 0 || time_of(*pair.after) <= 0)
      return untrusted(*pair.before, "it has no time");
    const Traffic old = Traffic::of(*pair.before);
    const Traffic now = Traffic::of(*pair.after);
    const double seconds =
        seconds_of(CostModel::of(*pair.before, old), CostModel::of(*pair.after, now), old, now);
    if (seconds <= 0) return untrusted(*pair.before, "its cure takes no work away");
    if (Status added = costs.add(*pair.before, (time_of(*pair.before) - time_of(*pair.after)) / seconds);
        !added)
      return tl::unexpected(added.error());
  }
  return costs.range();
}

double wavefronts(const Traffic& traffic) {
  return traffic.shared_load.actual + traffic.shared_store.actual;
}

Result<CostRange> warp_cost(const std::vector<RunPair>& pairs) {
  Costs costs;
  for (const RunPair& pair : pairs) {
    const Run& before = *pair.before;
    if (before.occupancy.empty() || pair.after->occupancy.empty() || time_of(*pair.after) <= 0)
      return untrusted(before, "its occupancy or its time is not known");
    const double factor = pair.after->occupancy.front().theoretical_percent /
                          std::max(1e-9, before.occupancy.front().theoretical_percent);
    const double most = CostModel::of(before, Traffic::of(before)).most_with_warps(factor);
    if (most <= 1.0) return untrusted(before, "more warps could not gain anything");
    if (Status added = costs.add(before, (time_of(before) / time_of(*pair.after) - 1.0) / (most - 1.0));
        !added)
      return tl::unexpected(added.error());
  }
  return costs.range();
}

Result<CostRange> latency_cost(const std::vector<const Run*>& runs) {
  Costs costs;
  for (const Run* run : runs) {
    const double counted = CostModel::of(*run, Traffic::of(*run)).latency_s().middle();
    if (counted <= 0) return untrusted(*run, "its latency cannot be counted");
    if (Status added = costs.add(*run, time_of(*run) / counted); !added) return tl::unexpected(added.error());
  }
  return costs.range();
}

/// How true the time came that the waits of `before` let one expect after its cure.
Status add_waits(Costs& costs, const RunPair& pair, const CostModel& model, const Relief& relief) {
  const auto expected = model.expected_by_waits(relief);
  if (!expected) return untrusted(*pair.before, "its warps' waits were not measured");
  // As the model widens its interval: in proportion to the part of the time that goes.
  const double seconds = expected->seconds.middle();
  const double gone = 1.0 - seconds / model.time_s();
  if (gone <= 0) return untrusted(*pair.before, "its warps do not wait for what its cure takes away");
  return costs.add(*pair.before, std::pow(time_of(*pair.after) / seconds, 1.0 / gone));
}

Result<CostRange> waits_cost(const CalibrationPairs& pairs) {
  Costs costs;
  for (const RunPair& pair : pairs.wavefront) {
    const Traffic old = Traffic::of(*pair.before);
    const CostModel model = CostModel::of(*pair.before, old);
    const double removed = wavefronts(old) - wavefronts(Traffic::of(*pair.after));
    if (Status added = add_waits(costs, pair, model, {.lsu_wavefronts = removed}); !added)
      return tl::unexpected(added.error());
  }
  for (const RunPair& pair : pairs.scatter) {
    const Traffic old = Traffic::of(*pair.before);
    const CostModel model = CostModel::of(*pair.before, old);
    const Trust trust = Trust::check(*pair.before, old);
    const Context context{*pair.before, old, model, trust};
    const Relief relief = global_relief(context, old.global_load, old.global_load.excess());
    if (Status added = add_waits(costs, pair, model, relief); !added) return tl::unexpected(added.error());
  }
  return costs.range();
}

}  // namespace

Result<Calibration> calibrate(const CalibrationPairs& pairs) {
  if (pairs.wavefront.empty() || pairs.line.empty() || pairs.scatter.empty() || pairs.warp.empty() ||
      pairs.latency.empty())
    return fail(ErrorCode::kMachine, "a unit cost has no pair to be measured with",
                "Run `gpuprobe calibrate` again on an idle GPU.");
  const auto wavefront = saved(
      pairs.wavefront, [](const CostModel& before, const CostModel&, const Traffic& old, const Traffic& now) {
        return (wavefronts(old) - wavefronts(now)) * before.work().seconds_per_wavefront;
      });
  if (!wavefront) return tl::unexpected(wavefront.error());
  const auto line =
      saved(pairs.line, [](const CostModel& before, const CostModel& after, const Traffic&, const Traffic&) {
        return (before.work().load_lines - after.work().load_lines) * before.work().seconds_per_tag_line;
      });
  if (!line) return tl::unexpected(line.error());
  const auto warp = warp_cost(pairs.warp);
  if (!warp) return tl::unexpected(warp.error());
  const auto latency = latency_cost(pairs.latency);
  if (!latency) return tl::unexpected(latency.error());
  const auto waits = waits_cost(pairs);
  if (!waits) return tl::unexpected(waits.error());
  return Calibration{*wavefront, *line, *warp, *latency, *waits, ""};
}

}  // namespace gpuprobe::diagnose
