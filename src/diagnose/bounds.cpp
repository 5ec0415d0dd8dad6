#include "diagnose/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "diagnose/phrase.h"

namespace gpuprobe::diagnose {
namespace {

/// A unit busy for less than half of the time cannot be what holds a kernel: the warps wait for something
/// else.
constexpr double kBound = 0.50;
/// Every byte from DRAM passes L2, and both counters then read about the same (recorded saxpy: 69 and 76 %).
/// L2 is the bound only where it is clearly the busier.
constexpr double kL2AboveDram = 0.15;
/// From this part of the time on, the start of the blocks is worth a word.
constexpr double kShortBlocks = 0.50;

std::optional<double> measured(const Context& context, const char* metric) {
  const auto percent = context.run.counters.number(metric);
  return percent ? std::optional(*percent / 100.0) : std::nullopt;
}

struct Units {
  double dram = 0;
  double l2 = 0;
  double lsu = 0;
  double issue = 0;
};

Units utilizations(const Context& context) {
  const CostModel& cost = context.cost;
  Units units;
  units.dram = cost.utilization(CostUnit::kDram);
  units.l2 = cost.utilization(CostUnit::kL2);
  units.lsu = std::max(cost.utilization(CostUnit::kL1Tags), cost.utilization(CostUnit::kLsuData));
  if (const auto l1 = measured(context, "l1.utilization"))
    units.lsu = std::min(1.0, *l1 / cost.work().active_sms);
  units.issue = cost.utilization(CostUnit::kIssue);
  return units;
}

std::string waiting_for(const Context& context) {
  static constexpr std::pair<const char*, const char*> kStalls[] = {
      {"stall.long_scoreboard", "global memory"},
      {"stall.short_scoreboard", "shared memory"},
      {"stall.mio_throttle", "the shared-memory queue"},
      {"stall.lg_throttle", "the global-memory queue"},
      {"stall.barrier", "barriers"},
      {"stall.wait", "the previous instruction"},
      {"stall.math_pipe_throttle", "the arithmetic pipes"},
  };
  const char* most = nullptr;
  double largest = 0;
  for (const auto& [metric, what] : kStalls)
    if (const auto percent = context.run.counters.number(metric); percent && *percent > largest) {
      largest = *percent;
      most = what;
    }
  return most ? fmt::format("; warps wait mostly for {} ({:.0f} % of their cycles)", most, largest) : "";
}

}  // namespace

std::vector<std::string> bound_thresholds() {
  return {
      fmt::format("a unit is the bound from {:.0f} % of the time on: below that, it rests more than it works",
                  100 * kBound),
      fmt::format(
          "L2 is named beside DRAM only if it is {:.0f} points busier: every byte from DRAM passes L2",
          100 * kL2AboveDram),
      fmt::format("the start of the blocks is named if it alone takes {:.0f} % of the time",
                  100 * kShortBlocks),
  };
}

Verdict healthy_verdict(const Context& context) {
  const CostModel& cost = context.cost;
  const bool any_known = std::any_of(kCostUnits.begin(), kCostUnits.end(),
                                     [&cost](CostUnit unit) { return cost.load(unit).known; });
  if (!any_known || cost.time_s() <= 0)
    return {"inconclusive",
            "nothing is known of how busy the units of the GPU are, so what bounds this kernel is open"};

  const Units u = utilizations(context);
  const std::string as = cost.is_estimate() ? " (estimated from counted work)" : "";
  const double busiest = std::max({u.dram, u.l2, u.lsu, u.issue});
  const auto verdict = [&](const char* kind, const char* what, double value) {
    return Verdict{
        kind, fmt::format("bound by {}, busy {:.0f} % of the time{}; no fault found that limits it", what,
                          100.0 * value, as)};
  };
  if (busiest >= kBound) {
    const double dram_chain = u.dram >= kBound ? u.dram : 0.0;
    if (dram_chain > 0 && u.l2 <= u.dram + kL2AboveDram && u.lsu <= u.l2 + kL2AboveDram &&
        u.issue <= u.l2 + kL2AboveDram)
      return verdict("dram-bound", "DRAM bandwidth", u.dram);
    if (u.lsu >= u.issue && u.lsu >= u.l2 && u.lsu >= u.dram)
      return verdict("lsu-bound", "the load/store unit and L1", u.lsu);
    if (u.issue >= u.l2 && u.issue >= u.dram) return verdict("issue-bound", "instruction issue", u.issue);
    if (u.l2 > u.dram) return verdict("l2-bound", "L2 bandwidth", u.l2);
    return verdict("dram-bound", "DRAM bandwidth", u.dram);
  }
  std::string text = fmt::format(
      "bound by latency{}: no unit is busy for half of the time (DRAM {:.0f} %, L2 {:.0f} %, L1 {:.0f} %, "
      "issue {:.0f} %){}",
      as, 100 * u.dram, 100 * u.l2, 100 * u.lsu, 100 * u.issue, waiting_for(context));
  if (!cost.time_is_relative() && cost.block_launch_s() > kShortBlocks * cost.time_s())
    text += fmt::format(
        "; starting the {} alone takes {:.0f} % of the time, so fewer blocks with more work each would help",
        counted(static_cast<double>(context.run.main_launch().grid.count()), "block"),
        100.0 * cost.block_launch_s() / cost.time_s());
  if (const auto achieved = context.run.counters.number("occupancy.achieved"))
    text += fmt::format("; {:.0f} % of the warp slots are in use", *achieved);
  return {"latency-bound", text};
}

}  // namespace gpuprobe::diagnose
