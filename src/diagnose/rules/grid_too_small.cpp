// A grid with fewer blocks than the GPU has SMs leaves SMs without work; one with fewer warps than schedulers
// leaves schedulers without.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/phrase.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

/// What an empty kernel takes between two events (measured on an H200: 4 to 6.5 us).
constexpr double kLaunchSeconds = 5e-6;
/// At least this part of the time of a kernel is its work.
constexpr double kLeastPart = 0.3;

std::vector<Finding> examine(const Context& context) {
  const Launch& launch = context.run.main_launch();
  const double sms = context.run.device.sm_count;
  const double blocks = static_cast<double>(launch.grid.count());
  if (sms <= 0 || blocks <= 0 || context.run.steps.empty()) return {};
  const double schedulers = std::max(1, context.run.device.sub_partitions);
  const double warps = blocks * static_cast<double>(launch.warps_per_block());
  const bool idle_sms = blocks < sms;
  const bool idle_schedulers = warps < sms * schedulers;
  if (!idle_sms && !idle_schedulers) return {};

  Finding finding;
  finding.kind = FindingKind::kGridTooSmall;
  finding.text = idle_sms ? fmt::format("the grid of {} leaves {:.0f} of {:.0f} SMs idle",
                                        counted(blocks, "block"), sms - blocks, sms)
                          : fmt::format("the grid has {}, fewer than the {:.0f} schedulers of {:.0f} SMs",
                                        counted(warps, "warp"), sms * schedulers, sms);
  finding.evidence.push_back({"launch.grid_blocks", blocks, Unit::kBlock,
                              fmt::format("{} on {:.0f} SMs", counted(blocks, "block"), sms)});
  finding.evidence.push_back(
      {"launch.block_threads", static_cast<double>(launch.block.count()), Unit::kThread,
       fmt::format("{} a block", counted(static_cast<double>(launch.warps_per_block()), "warp"))});

  // Spread over all SMs, work in the SMs shrinks with their number; what all SMs share does not.
  const double factor = idle_sms ? sms / blocks : sms * schedulers / warps;
  const double shared_part =
      std::max(context.cost.utilization(CostUnit::kDram), context.cost.utilization(CostUnit::kL2));
  const double high = std::max(1.0, shared_part > 0 ? std::min(factor, 1.0 / shared_part) : factor);
  // Cut into more blocks, the same work is spread evenly; only the fixed cost of a launch does not shrink.
  const CostModel& cost = context.cost;
  const double shrinks = cost.time_is_relative() || cost.time_s() <= 0
                             ? kLeastPart
                             : std::clamp(1.0 - kLaunchSeconds / cost.time_s(), kLeastPart, 1.0);
  finding.gain = Gain{1.0 + (high - 1.0) * shrinks, high,
                      fmt::format("{:.2f} times as many {} could work; what all SMs share allows {:.2f}x",
                                  factor, idle_sms ? "SMs" : "schedulers", high)};
  finding.severity = severity_of(*finding.gain);
  const std::string own = own_cure(context.run, finding.kind);
  finding.cure = own.empty()
                     ? fmt::format(
                           "give the GPU at least {:.0f} blocks, better several for each SM: less work a "
                           "thread or block, or a larger problem",
                           sms)
                     : own;
  return {finding};
}

}  // namespace

Rule grid_too_small_rule();
Rule grid_too_small_rule() {
  return {"grid_too_small", {FindingKind::kGridTooSmall}, examine};
}

}  // namespace gpuprobe::diagnose
