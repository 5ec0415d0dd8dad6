// The time of a measured run after a cure, from what its warps waited for: see waits.h.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/cost/model.h"

namespace gpuprobe::diagnose {
namespace {

/// A smaller part of the DRAM traffic does not decide whether the data stay in L2.
constexpr double kChangesResidence = 0.2;

/// The quicker of two expectations.
void consider(CostModel::Expected& best, Range seconds, std::string reasoning) {
  if (seconds.low < best.seconds.low) best = {seconds, std::move(reasoning)};
}

}  // namespace

double CostModel::part_of(CostUnit unit, double seconds) const {
  const double busy = work_.at(unit).busy_s;
  return busy > 0 ? std::clamp(seconds / busy, 0.0, 1.0) : 0.0;
}

std::optional<CostModel::Expected> CostModel::expected_by_waits(const Relief& relief) const {
  const bool in_memory = relief.dram_share > 0 || relief.l2_share.high > 0 || relief.tag_lines > 0;
  if (!waits_ || (!in_memory && relief.lsu_wavefronts <= 0)) return std::nullopt;
  Expected best{{time_s_, time_s_}, ""};
  if (relief.lsu_wavefronts > 0) {
    const double running = waits_->running_s();
    const double busy = std::max(work_.data_stage * running, work_.at(CostUnit::kLsuData).busy_s);
    const double removed_s = relief.lsu_wavefronts * work_.seconds_per_wavefront;
    const UnitChange stage{std::min(1.0, busy / running),
                           busy > 0 ? std::clamp(removed_s / busy, 0.0, 1.0) : 0.0};
    const double seconds = waits_->without_wavefronts(stage);
    consider(
        best, {seconds, seconds},
        fmt::format("warps spend {:.0f} % of their time behind the shared-memory data stage, {:.0f} % of "
                    "whose {} of work is excess",
                    100.0 * waits_->behind_data_stage(), 100.0 * stage.removed, amount(busy)));
  }
  if (in_memory) {
    const double tags = part_of(CostUnit::kL1Tags, relief.tag_lines * work_.seconds_per_tag_line);
    const CostUnit unit = busiest();
    const double removed = unit == CostUnit::kDram    ? relief.dram_share
                           : unit == CostUnit::kL2    ? relief.l2_share.high
                           : unit == CostUnit::kIssue ? 0.0
                                                      : tags;
    const MemoryAfter after{
        {utilization(CostUnit::kL1Tags), tags},
        1.0 - removed,
        work_.at(CostUnit::kDram).busy_s * (1.0 - relief.dram_share),
        relief.dram_share >= kChangesResidence && work_.dram_bytes * (1.0 - relief.dram_share) < l2_bytes_};
    const std::string goes =
        fmt::format("{:.0f} % of the work of {}, the busiest unit, goes", 100.0 * removed, name_of(unit));
    if (relief.of_stores) {
      const double seconds = waits_->with_stores(after);
      consider(best, {seconds, seconds},
               fmt::format("warps spend {:.0f} % of their time until their stores are gone; {}",
                           100.0 * waits_->for_stores(), goes));
    } else {
      consider(best, waits_->with_loads(after),
               fmt::format("a load keeps its warp for {:.0f} cycles, {:.0f} on an idle GPU; {}",
                           waits_->load_wait_cycles(), waits_->idle_load_cycles(), goes));
    }
  }
  // However fast its warps are, the blocks have to be started one after the other.
  const double least = std::min(time_s_, block_launch_s_ + waits_->launch_s());
  best.seconds = {std::max(best.seconds.low, least), std::max(best.seconds.high, least)};
  return best;
}

}  // namespace gpuprobe::diagnose
