// Warps or blocks that have much more work than others. Only measured evidence counts: in a grid of several
// waves, warps that are missing although they would fit have left early, unless all of them live so briefly
// that the hand-over of their places takes as long as they do.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

/// Below this part of the theoretical occupancy much of the SM stands empty.
constexpr double kAchievedPart = 0.50;
/// In fewer waves the start and the end of the grid alone lower the average.
constexpr double kEnoughWaves = 2.0;
/// A warp slot that is handed from one block to the next stands empty for about a microsecond: on an H200,
/// kernels without any imbalance whose warps live for 0.4 to 1 us achieve 8 % to 45 %. Ten times that is
/// beyond doubt.
constexpr double kLongLived = 10e-6;

/// Seconds that the average warp stays on its SM: warp-seconds spent (Little's law) over the warps launched.
double mean_warp_lifetime(const Run& run, double achieved_percent, double duration_s) {
  const Launch& launch = run.main_launch();
  const double warps = static_cast<double>(launch.grid.count() * launch.warps_per_block());
  const double resident = achieved_percent / 100.0 * run.device.max_warps_per_sm * run.device.sm_count;
  return warps > 0 ? resident * duration_s / warps : 0.0;
}

std::vector<Finding> examine(const Context& context) {
  const OccupancyTable* table = context.occupancy();
  const auto achieved = context.run.counters.number("occupancy.achieved");
  if (!table || !achieved || table->waves < kEnoughWaves || table->theoretical_percent <= 0) return {};
  if (context.run.steps.size() > 1 || !context.trust.holds(Trust::Area::kOccupancy)) return {};
  const double part = *achieved / table->theoretical_percent;
  if (part >= kAchievedPart) return {};
  const auto duration = context.run.counters.number("time.duration");
  if (!duration || mean_warp_lifetime(context.run, *achieved, *duration) < kLongLived) return {};

  Finding finding;
  finding.kind = FindingKind::kImbalance;
  finding.text =
      fmt::format("warps end unevenly: {:.1f} % of the warp slots are in use where {:.1f} % would fit",
                  *achieved, table->theoretical_percent);
  finding.evidence.push_back(
      {"occupancy.achieved", *achieved, Unit::kPercent,
       fmt::format("{:.1f} % achieved of {:.1f} % theoretical", *achieved, table->theoretical_percent)});
  finding.gain = context.cost.gain_with_warps(1.0 / std::max(part, 0.01));
  finding.severity = severity_of(*finding.gain);
  finding.cure =
      "give all warps of a block the same amount of work, sort the work by size, or let blocks fetch it from "
      "a "
      "queue (an atomic counter)";
  return {finding};
}

}  // namespace

Rule imbalance_rule();
Rule imbalance_rule() {
  return {
      "imbalance",
      {FindingKind::kImbalance},
      examine,
      {fmt::format("achieved below {:.0f} % of the theoretical occupancy", 100 * kAchievedPart),
       fmt::format("at least {:.0f} waves: in fewer, the start and end of the grid alone lower the average",
                   kEnoughWaves),
       fmt::format(
           "warps that live for {:.0f} us on average: the hand-over of a place to the next block takes "
           "about 1 us, which alone keeps short-lived warps away",
           kLongLived * 1e6)}};
}

}  // namespace gpuprobe::diagnose
