#include "diagnose/cost/work.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace gpuprobe::diagnose {
namespace {

constexpr double kSectorBytes = 32.0;
constexpr double kSectorsPerLine = 4.0;
constexpr double kLineBytes = 128.0;
constexpr double kSectorsPerPair = 2.0;
/// L2 merges a partly written sector with its old contents: such a sector takes the time of two (recorded
/// tr_naive_w: 16.8 million sectors of 4 bytes each keep L2 busy for 215 us, 2.1 times what full ones would).
constexpr double kPartialSectorCost = 2.0;
/// Data that fits in this part of L2 stays there between the timed runs (recorded matmul, 12.6 MB: DRAM 1 %).
constexpr double kResidentPartOfL2 = 0.5;

std::optional<double> fraction(const Run& run, std::string_view metric) {
  const auto percent = run.counters.number(metric);
  if (!percent || !std::isfinite(*percent) || *percent < 0) return std::nullopt;
  return *percent / 100.0;
}

double wavefronts_of(const Traffic& traffic) {
  double sum = 0;
  for (const AccessTotals* totals : {&traffic.shared_load, &traffic.shared_store, &traffic.matrix_load,
                                     &traffic.matrix_store, &traffic.shared_atomic, &traffic.async_copy})
    sum += totals->actual;
  return sum;
}

/// Bounds of the lines of `totals` when they were not counted: a line holds four sectors, a request touches
/// one.
double fewest_lines(const AccessTotals& totals) {
  return std::max(totals.requests, totals.actual / kSectorsPerLine);
}

/// DRAM delivers sectors in pairs: a sector whose neighbour in the line nobody wants costs two (recorded
/// strided_16: 134 MB of sectors, 279 MB from DRAM). Only where the bytes between are never used by another
/// request.
double dram_bytes_of(const AccessTotals& loads, double unique_bytes) {
  const bool gaps_stay_unused = unique_bytes > kOrdinaryOverfetch * loads.ideal * kSectorBytes;
  if (!gaps_stay_unused || loads.lines <= 0) return unique_bytes;
  return unique_bytes * std::clamp(kSectorsPerPair * loads.lines / loads.actual, 1.0, kSectorsPerPair);
}

class Counter {
 public:
  Counter(const Run& run, const Traffic& traffic, const Rates& rates, std::optional<double> duration_s)
      : run_(run), traffic_(traffic), rates_(rates), duration_s_(duration_s) {
    const double blocks = static_cast<double>(run.main_launch().grid.count());
    work_.active_sms = std::clamp(blocks / rates.sms, 1.0 / rates.sms, 1.0);
    const double sms = rates.sms * work_.active_sms;
    work_.seconds_per_tag_line = 1.0 / (rates.tag_lines_per_cycle * rates.clock_hz * sms);
    work_.seconds_per_wavefront = 1.0 / (rates.wavefronts_per_cycle * rates.clock_hz * sms);
  }

  Work count() {
    l1_ = fraction(run_, "l1.utilization");
    if (l1_) *l1_ = std::min(1.0, *l1_ / work_.active_sms);
    count_chip_units();
    count_lines();
    count_sm_units();
    for (const UnitLoad& load : work_.loads) work_.has_measured_units |= load.measured;
    return work_;
  }

 private:
  bool seconds_unknown() const { return !duration_s_ && l1_; }
  double duration() const { return duration_s_.value_or(1.0); }

  void measured(CostUnit unit, double part) { work_.at(unit) = {part * duration(), true, true}; }

  /// Counted seconds mean nothing beside utilisations of an unknown duration.
  void counted(CostUnit unit, double seconds) {
    if (!seconds_unknown()) work_.at(unit) = {seconds, true, false};
  }

  void count_chip_units() {
    const auto read = run_.counters.number("dram.read_bytes");
    const auto written = run_.counters.number("dram.write_bytes");
    const auto dram = fraction(run_, "dram.utilization");
    const double load_unique = run_.counters.number("global.load.unique_bytes").value_or(0);
    const double store_unique = run_.counters.number("global.store.unique_bytes").value_or(0);
    if (read && written) {
      work_.dram_bytes = *read + *written;
      work_.dram_read_bytes = *read;
    } else if (dram && duration_s_ && rates_.known) {
      work_.dram_bytes = *dram * *duration_s_ * rates_.dram_bytes_per_second;
      work_.dram_read_bytes = std::max(0.0, work_.dram_bytes - traffic_.global_store.ideal * kSectorBytes);
    } else if (load_unique + store_unique > 0) {
      work_.dram_read_bytes = dram_bytes_of(traffic_.global_load, load_unique);
      work_.dram_bytes = work_.dram_read_bytes + store_unique;
    }
    if (read && written && duration_s_ && rates_.known) {
      // The utilisation counts from the start of the profiled range to its end, which is much longer than a
      // short kernel; bytes and time are exact.
      const double seconds = work_.dram_bytes / rates_.dram_bytes_per_second;
      work_.at(CostUnit::kDram) = {std::min(seconds, *duration_s_), true, true};
    } else if (dram) {
      measured(CostUnit::kDram, *dram);
    } else if (work_.dram_bytes > 0) {
      const bool resident = !read && work_.dram_bytes < kResidentPartOfL2 * rates_.l2_capacity_bytes;
      counted(CostUnit::kDram, resident ? 0.0 : work_.dram_bytes / rates_.dram_bytes_per_second);
    }

    if (const auto l2 = fraction(run_, "l2.utilization")) {
      // Of the profiled range, which for a short kernel is mostly its start.
      const double range_s = run_.counters.number("time.profiled").value_or(duration());
      const bool longer = duration_s_ && std::isfinite(range_s) && range_s > *duration_s_;
      measured(CostUnit::kL2, longer ? std::min(1.0, *l2 * range_s / *duration_s_) : *l2);
    } else if (traffic_.global_load.known() && traffic_.global_store.known()) {
      // Between every load reaching L2 and each byte doing so once: how much L1 keeps depends on timing.
      const double load_bytes = traffic_.global_load.actual * kSectorBytes;
      const double once =
          work_.dram_read_bytes > 0 ? std::min(work_.dram_read_bytes, load_bytes) : load_bytes;
      const double stores =
          traffic_.global_store.actual + traffic_.global_store.excess() * (kPartialSectorCost - 1.0);
      const double bytes =
          std::sqrt(once * load_bytes) +
          (stores + traffic_.global_atomic.actual + traffic_.local_store.actual) * kSectorBytes;
      counted(CostUnit::kL2, bytes / rates_.l2_bytes_per_second);
    }
  }

  void count_lines() {
    const AccessTotals& loads = traffic_.global_load;
    const AccessTotals& stores = traffic_.global_store;
    double most_loads = loads.lines > 0 ? loads.lines : loads.actual;
    double most_stores = stores.lines > 0 ? stores.lines : stores.actual;
    const double fewest_loads = loads.lines > 0 ? loads.lines : fewest_lines(loads);
    const double fewest_stores = stores.lines > 0 ? stores.lines : fewest_lines(stores);
    if (l1_ && duration_s_) {
      // What keeps L1 busy beyond the shared wavefronts can only be look-ups.
      const double shared = wavefronts_of(traffic_) * work_.seconds_per_wavefront;
      const double look_ups = *l1_ * *duration_s_ / work_.seconds_per_tag_line;
      if (shared < *l1_ * *duration_s_) {
        most_loads = std::clamp(look_ups, fewest_loads, most_loads);
        most_stores = std::clamp(look_ups, fewest_stores, most_stores);
      }
      work_.load_lines = most_loads;
      work_.store_lines = most_stores;
    } else {
      work_.load_lines = std::sqrt(fewest_loads * most_loads);
      work_.store_lines = std::sqrt(fewest_stores * most_stores);
    }
  }

  void count_sm_units() {
    const double lines = work_.load_lines + work_.store_lines + traffic_.global_atomic.actual +
                         (traffic_.local_load.actual + traffic_.local_store.actual) / kSectorsPerLine;
    const double wavefronts = wavefronts_of(traffic_);
    if (seconds_unknown()) {
      // Only parts of the duration are known: the busier stage is what the L1 counter shows.
      const double busier = std::max(lines, wavefronts);
      if (busier <= 0) return;
      measured(CostUnit::kL1Tags, *l1_ * lines / busier);
      measured(CostUnit::kLsuData, *l1_ * wavefronts / busier);
      work_.seconds_per_tag_line = work_.seconds_per_wavefront = *l1_ / busier;
    } else {
      counted(CostUnit::kL1Tags, lines * work_.seconds_per_tag_line);
      counted(CostUnit::kLsuData, wavefronts * work_.seconds_per_wavefront);
    }
    if (const auto stage = fraction(run_, "lsu.utilization"))
      work_.data_stage = std::min(1.0, *stage / work_.active_sms);
    if (const auto issue = fraction(run_, "issue.utilization"))
      measured(CostUnit::kIssue, std::min(1.0, *issue));
    else if (const auto instructions = run_.counters.number("issue.warp_instructions"))
      counted(CostUnit::kIssue,
              *instructions / (rates_.issue_per_cycle * rates_.clock_hz * rates_.sms * work_.active_sms));
  }

  const Run& run_;
  const Traffic& traffic_;
  const Rates& rates_;
  const std::optional<double> duration_s_;
  std::optional<double> l1_;  ///< busy part of the L1s that have work
  Work work_;
};

}  // namespace

std::string_view name_of(CostUnit unit) {
  switch (unit) {
    case CostUnit::kDram:
      return "DRAM";
    case CostUnit::kL2:
      return "L2";
    case CostUnit::kL1Tags:
      return "the L1 tag stage";
    case CostUnit::kLsuData:
      return "the shared-memory data stage";
    case CostUnit::kIssue:
      return "the issue slots";
  }
  return "";
}

bool is_in_sm(CostUnit unit) {
  return unit != CostUnit::kDram && unit != CostUnit::kL2;
}

double ideal_lines(const AccessTotals& totals) {
  double site_requests = 0;
  double lines = 0;
  for (const Site* site : totals.sites) {
    site_requests += site->requests;
    lines += site->requests * std::max(1.0, std::ceil(site->active_lanes * site->width / kLineBytes));
  }
  const double from_totals = std::max(totals.requests, totals.ideal / kSectorsPerLine);
  return site_requests > 0 ? lines * totals.requests / site_requests : from_totals;
}

Work count_work(const Run& run, const Traffic& traffic, const Rates& rates,
                std::optional<double> duration_s) {
  return Counter(run, traffic, rates, duration_s).count();
}

}  // namespace gpuprobe::diagnose
