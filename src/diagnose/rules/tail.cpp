// A grid that fills the GPU a whole number of times and a little more: the last few blocks run alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnose/phrase.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

/// After this many waves the blocks of a wave no longer end together, and the last ones cost less than a
/// tenth anyway.
constexpr double kMostWaves = 10.0;
/// A last wave that is half full or more is no tail: few blocks would fit into what is left free.
constexpr double kMostOfLastWave = 0.5;

std::vector<Finding> examine(const Context& context) {
  const OccupancyTable* table = context.occupancy();
  if (!table || table->blocks_per_sm <= 0 || table->waves <= 1.0 || table->waves > kMostWaves) return {};
  const double whole = std::floor(table->waves);
  const double rest = table->waves - whole;
  if (rest <= 0 || rest > kMostOfLastWave) return {};

  // In units of a full wave: alone on their SMs, the last blocks take between their share of the throughput
  // and as long as in a full wave; spread evenly they would have cost `rest`.
  const double at_best = std::max(rest, 1.0 / table->blocks_per_sm);
  double low = (whole + at_best) / table->waves;
  double high = (whole + 1.0) / table->waves;
  // The tail is time in which the GPU is all but idle: it cannot be longer than the busiest unit rests.
  double busy = 0;
  for (CostUnit unit : kCostUnits)
    if (context.cost.load(unit).measured) busy = std::max(busy, context.cost.utilization(unit));
  if (const auto l1 = context.run.counters.number("l1.utilization")) busy = std::max(busy, *l1 / 100.0);
  if (busy > 0) high = std::min(high, 1.0 / busy);
  low = std::min(low, high);

  Finding finding;
  finding.kind = FindingKind::kTail;
  finding.gain = Gain{low, high,
                      fmt::format("{:.2f} waves take as long as {:.2f} to {:.0f}", table->waves,
                                  whole + at_best, whole + 1.0)};
  finding.severity = severity_of(*finding.gain);
  if (finding.severity == Severity::kNegligible) return {};
  const double blocks = static_cast<double>(context.run.main_launch().grid.count());
  const double fit = table->blocks_per_sm * static_cast<double>(context.run.device.sm_count);
  const double last = blocks - whole * fit;
  finding.text = fmt::format("{} in {:.2f} waves: the last {} alone, on a GPU that holds {:.0f}",
                             counted(blocks, "block"), table->waves,
                             last == 1 ? "block runs" : grouped(last) + " blocks run", fit);
  finding.evidence.push_back({"launch.waves", table->waves, Unit::kRatio,
                              fmt::format("{:.2f} waves of {:.0f} blocks", table->waves, fit)});
  const std::string own = own_cure(context.run, finding.kind);
  finding.cure = own.empty()
                     ? fmt::format(
                           "launch {:.0f} blocks or a multiple, each looping over its share of the work, or "
                           "make blocks smaller so that the last wave is a small part",
                           fit)
                     : own;
  return {finding};
}

}  // namespace

Rule tail_rule();
Rule tail_rule() {
  return {"tail",
          {FindingKind::kTail},
          examine,
          {fmt::format("at most {:.0f} waves: after more, blocks no longer end together", kMostWaves),
           fmt::format("the last wave is at most {:.0f} % full", 100 * kMostOfLastWave)}};
}

}  // namespace gpuprobe::diagnose
