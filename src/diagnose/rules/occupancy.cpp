// Which resource keeps further blocks off an SM. Low occupancy is a fact, not a fault: it is limiting only
// where more warps would hide latency that the kernel waits for. With busy issue slots or a saturated unit
// they would not.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/cure/usage.h"
#include "diagnose/phrase.h"
#include "diagnose/ranking.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

/// Above this, latency is hidden as well as it will be: the recorded kernels at 64 resident warps and those
/// at 48 differ by less than between runs.
constexpr double kEnoughPercent = 75.0;
/// Schedulers that issue in this part of the cycles, or whose warps could if nothing but latency held them
/// up, have enough warps to choose from, however few they are.
constexpr double kBusyIssue = 0.60;

FindingKind kind_of(Resource resource) {
  switch (resource) {
    case Resource::kRegisters:
      return FindingKind::kOccupancyRegisters;
    case Resource::kShared:
      return FindingKind::kOccupancyShared;
    default:
      return FindingKind::kOccupancyBlockSize;
  }
}

/// What the limiting resource is called in a sentence.
std::string cause(const OccupancyTable& table, Resource resource) {
  switch (resource) {
    case Resource::kRegisters:
      return fmt::format("{} registers a thread", table.registers_per_thread);
    case Resource::kShared:
      return fmt::format("{} bytes of shared memory a block", grouped(table.shared_per_block));
    case Resource::kBlocks:
      return fmt::format("blocks of only {} threads (the limit of blocks per SM is reached)",
                         table.threads_per_block);
    case Resource::kWarps:
      return fmt::format("blocks of {} threads that do not divide the SM's warp slots",
                         table.threads_per_block);
    case Resource::kBarriers:
      return "named barriers";
  }
  return "";
}

/// The smallest single changes that buy a block, from the calculator; a general hint where the device's
/// limits are not known.
std::string generic_cure(const Run& run) {
  std::string text;
  if (const auto usage = usage_of(run))
    for (const occupancy::NextStep& step : occupancy::next_steps(run.device, *usage))
      text += (text.empty() ? "" : "; or ") + step.text;
  return text.empty() ? "use fewer registers, less shared memory, or blocks that divide the SM's warp slots"
                      : text;
}

std::vector<Finding> examine(const Context& context) {
  const OccupancyTable* table = context.occupancy();
  if (!table || table->blocks_per_sm <= 0 || table->limiters.empty() || table->theoretical_percent <= 0)
    return {};
  if (table->theoretical_percent >= kEnoughPercent || !context.trust.holds(Trust::Area::kOccupancy))
    return {};
  // A grid that does not even fill what fits is limited by its size, not by a resource.
  if (table->waves > 0 && table->waves < 1.0) return {};

  // Registers and shared memory are the causes one can change; a tie with the block size is named beside
  // them.
  Resource main = table->limiters.front();
  for (Resource resource : {Resource::kShared, Resource::kRegisters})
    if (std::count(table->limiters.begin(), table->limiters.end(), resource) > 0) main = resource;

  Finding finding;
  finding.kind = kind_of(main);
  std::string causes;
  for (Resource resource : table->limiters)
    if (resource == main)
      causes = cause(*table, resource) + (causes.empty() ? "" : ", " + causes);
    else
      causes += (causes.empty() ? "" : ", ") + cause(*table, resource);
  finding.text = fmt::format("occupancy is limited to {:.1f} % by {}", table->theoretical_percent, causes);
  if (table->limiters.size() > 1) finding.text += " (tied)";
  finding.evidence.push_back({"occupancy.theoretical", table->theoretical_percent, Unit::kPercent,
                              fmt::format("{} of {} warps each, {}", counted(table->blocks_per_sm, "block"),
                                          table->warps_per_block, "on an SM")});
  if (const auto achieved = context.run.counters.number("occupancy.achieved"))
    finding.evidence.push_back(
        {"occupancy.achieved", *achieved, Unit::kPercent, fmt::format("{:.1f} % achieved", *achieved)});

  const double issue = context.cost.utilization(CostUnit::kIssue);
  if (context.cost.load(CostUnit::kIssue).known)
    finding.evidence.push_back(
        {"issue.utilization", 100.0 * issue, Unit::kPercent,
         fmt::format("the schedulers issue in {:.0f} % of the cycles{}", 100.0 * issue,
                     context.cost.load(CostUnit::kIssue).measured ? "" : " (estimated)")});
  const auto pace = context.run.counters.number("issue.cycles_per_instruction");
  const auto possible = context.cost.issue_of_resident_warps();
  if (pace && possible)
    finding.evidence.push_back(
        {"issue.cycles_per_instruction", *pace, Unit::kCycle,
         fmt::format("one warp alone issues every {:.1f} cycles and waits for its loads; those that reside "
                     "can issue in {:.0f} % of the cycles",
                     *pace, 100.0 * *possible)});
  // No more blocks can reside at once than the grid has.
  const double room = 100.0 / table->theoretical_percent;
  const double factor = table->waves > 0 ? std::min(room, table->waves) : room;
  finding.gain = std::max(issue, possible.value_or(0)) >= kBusyIssue
                     ? Gain{1.0, 1.0, "the schedulers have enough warps to choose from"}
                     : context.cost.gain_with_warps(factor);
  finding.severity = severity_of(*finding.gain);
  const std::string own = own_cure(context.run, finding.kind);
  finding.cure = own.empty() ? generic_cure(context.run) : own;
  return {finding};
}

}  // namespace

Rule occupancy_rule();
Rule occupancy_rule() {
  return {
      "occupancy",
      {FindingKind::kOccupancyRegisters, FindingKind::kOccupancyShared, FindingKind::kOccupancyBlockSize},
      examine,
      {fmt::format("reported below {:.0f} %: above it, latency is hidden as well as it will be",
                   kEnoughPercent),
       fmt::format("no fault if the schedulers issue in {:.0f} % of the cycles or more", 100 * kBusyIssue)}};
}

}  // namespace gpuprobe::diagnose
