#include "diagnose/cost/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnose/cost/latency.h"
#include "diagnose/cost/rates.h"

namespace gpuprobe::diagnose {
namespace {

/// What part of its peak a unit reaches in kernels without a fault: DRAM and L2 46 to 89 % (recorded
/// rowsum_good, strided_8), units in the SM 74 to 95 % (mm_naive_32, tiled matmul, mm_naive_swapped), less
/// while ramping up.
constexpr Range kChipEfficiency{0.45, 0.88};
constexpr Range kSmEfficiency{0.60, 0.95};

/// A unit this busy sets the pace of the kernel; below the lower bound the kernel waits for something else
/// too.
constexpr double kSaturationStarts = 0.60;
constexpr double kSaturated = 0.80;
/// Time that latency does not explain is put down to a unit on the chip only if that unit works at all: the
/// least busy one that still held a recorded kernel up was at 14 % (rowsum_bad); at a few percent it cannot.
constexpr double kIdle = 0.05;
constexpr double kMayHoldUp = 0.12;
/// A kernel whose dependent chains take this part of its time waits for latency, not for throughput.
constexpr double kLatencyMatters = 0.40;
constexpr double kLatencyRules = 0.80;

/// How much of the work removed from a stage in the SM comes off the time. Conflict wavefronts hold up the
/// warp that makes them and all behind it: 0.91 to 1.04 of them did in recorded pairs (tr_tiled,
/// mm_tiledT_32, bank_pitch*). Tag look-ups overlap with the misses that follow them: 0.5 (invert) to 1.03
/// (mm_naive_swapped).
/// Used where the device has no calibration.
constexpr Range kWavefrontsSaved{0.75, 1.10};
constexpr Range kTagLinesSaved{0.35, 1.10};
/// Measured time after a cure over what the waits before it lead to expect, if all of the time went: nearly
/// all recorded pairs of an H200 lie within.
constexpr Range kWaitsTrue{0.75, 1.35};
/// Part of what more warps can gain at most that they do gain where latency is in the way. (Recorded: 12.5 %
/// occupancy at 37 % issue gained 1.8x of a possible 2.5x.)
constexpr Range kWarpsGain{0.30, 1.00};
/// Even where the time is explained otherwise, some of it may be latency.
constexpr double kSurePart = 0.30;
/// Issue slots that a cure frees: other warps fill some of them.
constexpr Range kIssueSaved{0.30, 1.00};

/// Loads add up between a full overlap (the largest alone) and none (their sum): the 37 recorded kernels lie
/// closest to a p-norm of this exponent.
constexpr double kOverlapExponent = 1.5;

/// A queue that would take this part of the measured time may be its cause, and must be from the second on.
constexpr double kQueueMayExplain = 0.50;
constexpr double kQueueExplains = 0.90;

/// Between two runs of the same kernel the time moves by up to this part (clocks, DRAM refresh): a measured
/// gain cannot be known better.
constexpr double kRunToRun = 1.03;
/// With measured unit costs an interval wider than this says nothing that its middle does not.
constexpr double kWidestCalibrated = 2.0;

/// Without the device's rates the bounding unit may be another one.
constexpr double kUnknownRatesWiden = 2.0;

double ramp(double value, double from, double to) {
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

}  // namespace

CostModel CostModel::of(const Run& run, const Traffic& traffic) {
  CostModel model;
  const Rates rates = rates_of(run.device);
  model.rates_known_ = rates.known;
  model.wavefronts_saved_ = kWavefrontsSaved;
  model.lines_saved_ = kTagLinesSaved;
  model.warps_gain_ = kWarpsGain;
  model.waits_true_ = kWaitsTrue;
  if (const auto& measured = run.device.calibration) {
    model.calibrated_ = true;
    model.wavefronts_saved_ = {measured->wavefront.low, measured->wavefront.high};
    model.lines_saved_ = {measured->line.low, measured->line.high};
    model.warps_gain_ = {measured->warp.low, measured->warp.high};
    if (measured->waits.high > 0) model.waits_true_ = {measured->waits.low, measured->waits.high};
    model.latency_scale_ = {measured->latency.low, measured->latency.high};
  }
  std::optional<double> duration = run.counters.number("time.duration");
  if (!duration && run.timing && run.timing->median_s > 0) duration = run.timing->median_s;
  if (duration && (!std::isfinite(*duration) || *duration <= 0)) duration.reset();
  model.work_ = count_work(run, traffic, rates, duration);
  const double ideal_read = traffic.global_load.ideal * 32.0;
  const double read =
      model.work_.dram_read_bytes > 0 ? std::min(model.work_.dram_read_bytes, ideal_read) : 0.0;
  model.l2_bytes_ = rates.l2_capacity_bytes;
  model.waits_ = Waits::of(run, traffic, rates, duration);
  model.latency_s_ = latency_of(run, traffic, rates, read);
  model.chains_followed_ = run.counters.number("issue.cycles_per_instruction").has_value();
  model.block_launch_s_ = diagnose::block_launch_s(run, rates);
  model.resident_part_ = resident_part(run, rates);
  if (duration) {
    model.time_s_ = *duration;
    model.time_is_measured_ = true;
  } else if (model.work_.has_measured_units) {
    model.time_s_ = 1.0;
    model.time_is_relative_ = true;
    model.latency_s_ = {};
  } else {
    model.estimate_time();
  }
  return model;
}

void CostModel::estimate_time() {
  const auto busy = [this](CostUnit unit) { return work_.at(unit).known ? work_.at(unit).busy_s : 0.0; };
  const double parts[] = {
      std::max(busy(CostUnit::kDram), busy(CostUnit::kL2)) / kChipEfficiency.middle(),
      std::max(busy(CostUnit::kL1Tags), busy(CostUnit::kLsuData)) / kSmEfficiency.high,
      busy(CostUnit::kIssue) / kSmEfficiency.middle(),
      latency_s_.middle(),
  };
  double sum = 0;
  for (double part : parts) sum += std::pow(part, kOverlapExponent);
  time_s_ = std::pow(sum, 1.0 / kOverlapExponent);
}

double CostModel::utilization(CostUnit unit) const {
  const UnitLoad& load = work_.at(unit);
  return load.known && time_s_ > 0 ? std::min(1.0, load.busy_s / time_s_) : 0.0;
}

std::optional<double> CostModel::issue_of_resident_warps() const {
  const UnitLoad& issue = work_.at(CostUnit::kIssue);
  if (!chains_followed_ || !issue.known || latency_s_.middle() <= 0) return std::nullopt;
  return std::min(1.0, issue.busy_s / latency_s_.middle());
}

CostUnit CostModel::busiest() const {
  return *std::max_element(kCostUnits.begin(), kCostUnits.end(),
                           [this](CostUnit a, CostUnit b) { return utilization(a) < utilization(b); });
}

std::string CostModel::amount(double seconds) const {
  if (time_is_relative_) return fmt::format("{:.0f} %", 100.0 * seconds);
  return seconds < 1e-3 ? fmt::format("{:.1f} us", seconds * 1e6) : fmt::format("{:.2f} ms", seconds * 1e3);
}

Gain CostModel::make_gain(double after_high_s, double after_low_s, std::string reasoning) const {
  after_low_s = std::min(after_low_s, time_s_);
  after_high_s = std::clamp(after_high_s, after_low_s, time_s_);
  Gain gain{time_s_ / after_high_s / kRunToRun, time_s_ / after_low_s * kRunToRun, std::move(reasoning)};
  if (calibrated_ && gain.high > kWidestCalibrated * gain.low) {
    const double middle = std::sqrt(gain.low * gain.high);
    gain.low = middle / std::sqrt(kWidestCalibrated);
    gain.high = middle * std::sqrt(kWidestCalibrated);
  }
  if (!rates_known_ && !work_.has_measured_units) {
    gain.low = 1.0 + (gain.low - 1.0) / kUnknownRatesWiden;
    gain.high = 1.0 + (gain.high - 1.0) * kUnknownRatesWiden;
    gain.reasoning += "; the rates of this device are not known, so the interval is wide";
  } else {
    if (!time_is_measured_ && !time_is_relative_) gain.reasoning += "; estimated from counted work";
    if (!calibrated_)
      gain.reasoning +=
          "; the unit costs of this device were not measured (gpuprobe calibrate does), so the interval is "
          "wide";
  }
  return gain;
}

Gain CostModel::gain_without(const Relief& relief) const {
  if (time_s_ <= 0) return {};
  // The waits of a grid that leaves SMs empty say nothing of one that fills them.
  const bool fills_sms = relief.spreads_work && resident_part_ < 1.0;
  const auto expected = fills_sms ? std::nullopt : expected_by_waits(relief);
  if (!expected) return gain_by_work(relief);
  if (expected->reasoning.empty()) return {1.0, 1.0, "its warps do not wait for what it takes away"};
  // What is wrong with the expectation is wrong with the part that goes.
  const auto within = [this](double seconds, double factor) {
    return seconds * std::pow(factor, 1.0 - seconds / time_s_);
  };
  return make_gain(within(expected->seconds.high, waits_true_.high),
                   within(expected->seconds.low, waits_true_.low), expected->reasoning);
}

Gain CostModel::gain_by_work(const Relief& relief) const {
  struct Change {
    CostUnit unit;
    Range removed_s;
    Range saved_s;
  };
  std::vector<Change> changes;
  const auto add_in_sm = [&](CostUnit unit, double seconds, Range part) {
    const double removed = std::min(seconds, work_.at(unit).busy_s);
    if (removed > 0) changes.push_back({unit, {removed, removed}, {removed * part.low, removed * part.high}});
  };
  add_in_sm(CostUnit::kL1Tags, relief.tag_lines * work_.seconds_per_tag_line, lines_saved_);
  add_in_sm(CostUnit::kLsuData, relief.lsu_wavefronts * work_.seconds_per_wavefront, wavefronts_saved_);
  add_in_sm(CostUnit::kIssue, relief.issue_share * work_.at(CostUnit::kIssue).busy_s, kIssueSaved);

  // DRAM and L2 are shared by all SMs: while they are not saturated, warps wait for latency, and less traffic
  // saves little; once saturated, they set the pace and the whole time shrinks with their work.
  const auto add_on_chip = [&](CostUnit unit, Range share) {
    const double u = utilization(unit);
    if (u <= 0 || share.high <= 0) return;
    const double unexplained = 1.0 - ramp(latency_s_.high / time_s_, kLatencyMatters, kLatencyRules);
    const double saturated =
        std::max(ramp(u, kSaturationStarts, kSaturated), unexplained * ramp(u, kIdle, kMayHoldUp));
    const double low = u * u + (1.0 - u * u) * saturated;
    const double high = u + (1.0 / u - u) * saturated;
    const Range removed{share.low * work_.at(unit).busy_s, share.high * work_.at(unit).busy_s};
    changes.push_back({unit, removed, {removed.low * low, removed.high * high}});
  };
  add_on_chip(CostUnit::kDram, {relief.dram_share, relief.dram_share});
  add_on_chip(CostUnit::kL2, relief.l2_share);
  if (changes.empty()) return {1.0, 1.0, "it takes no time that can be counted"};

  double saved_low = 0;
  double saved_high = 0;
  const Change* largest = &changes.front();
  for (const Change& change : changes) {
    saved_low = std::max(saved_low, change.saved_s.low);
    if (change.saved_s.high > saved_high) largest = &change;
    saved_high = std::max(saved_high, change.saved_s.high);
  }
  // What the other units, and the rest of these, need anyway.
  const double waiting = relief.spreads_work ? resident_part_ : 1.0;
  const Range floor = floor_latency();
  double fastest = floor.low * waiting;
  double slowest = floor.high * waiting;
  double slowest_before = latency_s_.high;
  CostUnit next = largest->unit;
  double next_s = 0;
  for (CostUnit unit : kCostUnits) {
    if (!work_.at(unit).known) continue;
    Range left{work_.at(unit).busy_s, work_.at(unit).busy_s};
    for (const Change& change : changes)
      if (change.unit == unit) left = {left.low - change.removed_s.high, left.high - change.removed_s.low};
    const Range efficiency = is_in_sm(unit) ? kSmEfficiency : kChipEfficiency;
    fastest = std::max(fastest, left.low / efficiency.high);
    slowest = std::max(slowest, left.high / efficiency.low);
    slowest_before = std::max(slowest_before, work_.at(unit).busy_s / efficiency.low);
    if (left.high > next_s) {
      next = unit;
      next_s = left.high;
    }
  }
  const double after_low = std::max(time_s_ - saved_high, fastest);
  // The slowest time that the model can explain is a bound only if it explains the time as it is now.
  double after_high = time_s_ - saved_low;
  if (slowest_before >= time_s_) after_high = std::min(after_high, std::max(slowest, after_low));

  const double waits_s = latency_s_.low * waiting;
  const std::string reasoning =
      fmt::format("{} is busy {} of {}, {} of it with the excess; without it {} needs the most, {}",
                  name_of(largest->unit), amount(work_.at(largest->unit).busy_s),
                  time_is_relative_ ? "the time" : amount(time_s_), amount(largest->removed_s.high),
                  next_s > waits_s ? name_of(next) : "latency", amount(std::max(next_s, waits_s)));
  return make_gain(after_high, after_low, reasoning);
}

Gain CostModel::gain_without_queue(double queued_s) const {
  if (time_is_relative_ || time_s_ <= 0)
    return {1.0, 1.0, "how long they queue cannot be told without a time"};
  const double part = queued_s / time_s_;
  // What the rest needs: its latency and the units' work.
  Range rest = floor_latency();
  for (CostUnit unit : kCostUnits) {
    const Range efficiency = is_in_sm(unit) ? kSmEfficiency : kChipEfficiency;
    rest.low = std::max(rest.low, work_.at(unit).busy_s / efficiency.high);
    rest.high = std::max(rest.high, work_.at(unit).busy_s / efficiency.low);
  }
  // A measured time that the queue explains and the rest does not shows that they do meet there.
  const double meets = time_is_measured_ ? ramp(part, kQueueMayExplain, kQueueExplains) : 0.0;
  const double least = std::max(time_s_ - queued_s, rest.low);
  const double most = std::pow(time_s_, 1.0 - meets) * std::pow(std::max(rest.high, least), meets);
  return make_gain(most, least,
                   fmt::format("if all requests meet at one word, they keep it busy {:.0f} % of the time; if "
                               "each has its own, not at all",
                               100.0 * std::min(1.0, part)));
}

/// The time of the chains is spread around the model's middle as it was in the clean kernels of the
/// calibration.
Range CostModel::floor_latency() const {
  if (latency_scale_.high <= 0) return latency_s_;
  return {latency_s_.middle() * latency_scale_.low, latency_s_.middle() * latency_scale_.high};
}

double CostModel::most_with_warps(double factor) const {
  const CostUnit unit = busiest();
  const double u = utilization(unit);
  const double headroom = u > 0 ? (is_in_sm(unit) ? kSmEfficiency.high : kChipEfficiency.high) / u : factor;
  return std::max(1.0, std::min(factor, headroom));
}

Gain CostModel::gain_with_warps(double factor) const {
  if (time_s_ <= 0 || factor <= 1.0) return {};
  const CostUnit unit = busiest();
  const double u = utilization(unit);
  const double high = most_with_warps(factor);
  // More warps help only as far as the time is latency. Measured, it is what no unit accounts for; predicted,
  // it is what the chains of the warps take.
  double waits = time_is_relative_ ? 0.0 : ramp(latency_s_.high / time_s_, 0.0, kLatencyRules);
  if (work_.has_measured_units) waits = std::max(waits, 1.0 - ramp(u, kSaturationStarts, kSaturated));
  const double low = 1.0 + (high - 1.0) * warps_gain_.low * waits;
  const double likely_high = 1.0 + (high - 1.0) * warps_gain_.high * std::max(waits, kSurePart);
  return make_gain(time_s_ / low, time_s_ / likely_high,
                   fmt::format("{} is the busiest unit at {:.0f} %, so more warps can gain at most {:.2f}x",
                               name_of(unit), 100.0 * u, high));
}

}  // namespace gpuprobe::diagnose
