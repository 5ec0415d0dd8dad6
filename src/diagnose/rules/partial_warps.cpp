// Lanes that no thread of the block fills: a block size that is not a multiple of 32 leaves them empty in
// every instruction of its last warp.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/phrase.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

constexpr double kWarpLanes = 32.0;
/// Empty lanes below this part cost less than the spread between runs: a block of 1000 threads wastes 2.3 %.
constexpr double kWorthALine = 0.02;

std::vector<Finding> examine(const Context& context) {
  if (context.run.steps.empty()) return {};
  const Launch& launch = context.run.main_launch();
  const double threads = static_cast<double>(launch.block.count());
  const double slots = kWarpLanes * static_cast<double>(launch.warps_per_block());
  if (slots <= 0) return {};  // a library call: its launches are its own choice
  const double empty = 1.0 - threads / slots;
  if (empty < kWorthALine) return {};

  Finding finding;
  finding.kind = FindingKind::kPartialWarps;
  finding.text =
      fmt::format("blocks of {:.0f} threads leave {:.0f} of {:.0f} lanes of their {} empty", threads,
                  slots - threads, slots, launch.warps_per_block() == 1 ? "warp" : "warps");
  finding.evidence.push_back({"launch.block_threads", threads, Unit::kThread,
                              fmt::format("{:.0f} % of the lanes have no thread", 100.0 * empty)});
  // Full warps do the same work with fewer instructions and requests; bytes from DRAM and L2 stay. A kernel
  // that waits for latency gains up to the same factor, because as many warps then carry more threads.
  const double factor = slots / threads;
  const CostModel& cost = context.cost;
  const double shared_part = std::max(cost.utilization(CostUnit::kDram), cost.utilization(CostUnit::kL2));
  const double high = shared_part > 0 ? std::max(1.0, std::min(factor, 1.0 / shared_part)) : factor;
  const double in_sm = std::max({cost.utilization(CostUnit::kIssue), cost.utilization(CostUnit::kL1Tags),
                                 cost.utilization(CostUnit::kLsuData)});
  finding.gain = Gain{1.0 + (high - 1.0) * in_sm, high,
                      fmt::format("full warps need {:.0f} % of the instructions; DRAM and L2 allow {:.2f}x",
                                  100.0 / factor, high)};
  finding.severity = severity_of(*finding.gain);
  const std::string own = own_cure(context.run, finding.kind);
  finding.cure =
      own.empty()
          ? fmt::format("make the block a multiple of 32 threads: {:.0f} in place of {:.0f}", slots, threads)
          : own;
  return {finding};
}

}  // namespace

Rule partial_warps_rule();
Rule partial_warps_rule() {
  return {
      "partial_warps",
      {FindingKind::kPartialWarps},
      examine,
      {fmt::format("reported from {:.0f} % empty lanes on: less is lost between runs", 100 * kWorthALine)}};
}

}  // namespace gpuprobe::diagnose
