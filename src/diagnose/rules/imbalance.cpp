// Warps or blocks that have much more work than others. Only measured evidence counts: in a grid of several
// waves with enough blocks, warps that are missing although they would fit have left early.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

/// Below this part of the theoretical occupancy something more than block turn-over keeps warps away: the
/// recorded kernels, down to those that live for one load and one store, achieve 55 % or more.
constexpr double kAchievedPart = 0.50;
/// In fewer waves the start and the end of the grid alone lower the average.
constexpr double kEnoughWaves = 2.0;

std::vector<Finding> examine(const Context& context) {
  const OccupancyTable* table = context.occupancy();
  const auto achieved = context.run.counters.number("occupancy.achieved");
  if (!table || !achieved || table->waves < kEnoughWaves || table->theoretical_percent <= 0) return {};
  if (context.run.steps.size() > 1 || !context.trust.holds(Trust::Area::kOccupancy)) return {};
  const double part = *achieved / table->theoretical_percent;
  if (part >= kAchievedPart) return {};

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
      {fmt::format("achieved below {:.0f} % of the theoretical occupancy: kernels that live for one load and "
                   "one store still achieve 55 %",
                   100 * kAchievedPart),
       fmt::format("at least {:.0f} waves: in fewer, the start and end of the grid alone lower the average",
                   kEnoughWaves)}};
}

}  // namespace gpuprobe::diagnose
