#include "diagnose/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gpuprobe::diagnose {
namespace {

/// A warp has 32 lanes, and a legal access is aligned to its width (at most 16 bytes), so a lane touches one
/// sector.
constexpr double kMaxSectorsPerRequest = 32.0;
/// Counts of one run are integers below 2^53, and recorded or sampled ones are scaled; this absorbs the
/// rounding.
constexpr double kRounding = 1e-6;
/// Hardware wavefronts and the exact ones come from different replays of the kernel. Loop trip counts that
/// depend on timing (spinning, work queues) differ a little between replays.
constexpr double kReplaySlack = 0.02;
/// Points of per cent by which the sampled average may exceed the theoretical occupancy.
constexpr double kOccupancyTolerance = 2.0;
/// A utilisation may read slightly above 100 when its peak rate was taken at another clock.
constexpr double kMaxUtilization = 105.0;

bool exceeds(double value, double limit) {
  return value > limit * (1.0 + kRounding) + kRounding;
}

}  // namespace

bool Trust::holds(Area area) const {
  return std::none_of(violations_.begin(), violations_.end(),
                      [area](const Violation& violation) { return violation.area == area; });
}

namespace {

class Checker {
 public:
  Checker(const Run& run, std::vector<Trust::Violation>& out) : run_(run), out_(out) {}

  void numbers(Trust::Area area, std::string_view prefix) {
    for (auto it = run_.counters.all().lower_bound(prefix);
         it != run_.counters.all().end() && it->first.compare(0, prefix.size(), prefix) == 0; ++it) {
      const auto number = run_.counters.number(it->first);
      if (number && (!std::isfinite(*number) || *number < 0))
        add(area, fmt::format("{} reads {}", it->first, *number));
    }
  }

  void access(Trust::Area area, std::string_view what, std::string_view unit, const AccessTotals& totals) {
    if (!totals.known()) return;
    if (exceeds(totals.ideal, totals.actual))
      add(area, fmt::format("{}: {:.0f} {} are fewer than the ideal {:.0f}", what, totals.actual, unit,
                            totals.ideal));
  }

  /// Of shared memory the hardware counts instructions, also those whose lanes are all predicated off, so
  /// only global requests can be held against their sectors.
  void sectors(Trust::Area area, std::string_view what, const AccessTotals& totals) {
    if (!totals.known()) return;
    if (exceeds(totals.requests, totals.actual))
      add(area, fmt::format("{}: {:.0f} sectors are fewer than {:.0f} requests", what, totals.actual,
                            totals.requests));
    if (exceeds(totals.actual, kMaxSectorsPerRequest * totals.requests))
      add(area, fmt::format("{}: {:.0f} sectors are more than 32 for each of {:.0f} requests", what,
                            totals.actual, totals.requests));
  }

  void hardware_conflicts(Trust::Area area, const std::string& counter, const AccessTotals& totals) {
    const auto hardware = run_.counters.number(counter);
    if (!hardware || !totals.known() || run_.source == Origin::kPredicted) return;
    // The counter holds the address conflicts plus arbitration, so it cannot be smaller than the exact
    // excess. A merged group costs its conflicts too (semantics: wavefronts less the groups), so nothing is
    // subtracted.
    if (*hardware < totals.excess() * (1.0 - kReplaySlack) - 1.0)
      add(area, fmt::format("{} reads {:.0f}, less than the {:.0f} excess wavefronts counted exactly",
                            counter, *hardware, totals.excess()));
  }

  void occupancy() {
    const auto achieved = run_.counters.number("occupancy.achieved");
    const auto theoretical = run_.counters.number("occupancy.theoretical");
    if (achieved && theoretical && *achieved > *theoretical + kOccupancyTolerance)
      add(Trust::Area::kOccupancy,
          fmt::format("achieved occupancy {:.1f} % is above the theoretical {:.1f} %", *achieved,
                      *theoretical));
  }

  void utilizations() {
    for (std::string name : {"dram.utilization", "l2.utilization", "l1.utilization", "issue.utilization"}) {
      numbers(Trust::Area::kUtilization, name);
      const auto value = run_.counters.number(name);
      if (value && *value > kMaxUtilization)
        add(Trust::Area::kUtilization, fmt::format("{} reads {:.1f} %", name, *value));
    }
  }

 private:
  void add(Trust::Area area, std::string reason) { out_.push_back({area, std::move(reason)}); }

  const Run& run_;
  std::vector<Trust::Violation>& out_;
};

}  // namespace

Trust Trust::check(const Run& run, const Traffic& traffic) {
  Trust trust;
  Checker checker(run, trust.violations_);
  checker.numbers(Area::kGlobalLoad, "global.load.");
  checker.numbers(Area::kGlobalStore, "global.store.");
  checker.numbers(Area::kSharedLoad, "shared.load.");
  checker.numbers(Area::kSharedStore, "shared.store.");
  checker.numbers(Area::kOccupancy, "occupancy.");
  checker.access(Area::kGlobalLoad, "global loads", "sectors", traffic.global_load);
  checker.access(Area::kGlobalStore, "global stores", "sectors", traffic.global_store);
  checker.sectors(Area::kGlobalLoad, "global loads", traffic.global_load);
  checker.sectors(Area::kGlobalStore, "global stores", traffic.global_store);
  checker.access(Area::kSharedLoad, "shared loads", "wavefronts", traffic.shared_load);
  checker.access(Area::kSharedStore, "shared stores", "wavefronts", traffic.shared_store);
  checker.hardware_conflicts(Area::kSharedLoad, "shared.conflicts_hw.load", traffic.shared_load);
  checker.hardware_conflicts(Area::kSharedStore, "shared.conflicts_hw.store", traffic.shared_store);
  checker.occupancy();
  checker.utilizations();
  return trust;
}

}  // namespace gpuprobe::diagnose
