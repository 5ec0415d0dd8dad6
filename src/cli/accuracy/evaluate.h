// How often the verdict was the planted answer, and how often the cure gained what was expected. Pure:
// planned launches and their runs in, figures out; the runs may be measured now or recorded earlier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/accuracy/nsight_advice.h"
#include "cli/accuracy/plan.h"
#include "core/report.h"

namespace gpuprobe::cli {

struct JudgedLaunch {
  std::size_t launch = 0;  ///< its place in the plan
  std::string label;
  std::vector<std::string> planted;  ///< {"bank-conflict-load"}, {"none"}
  std::vector<std::string> also;     ///< further true findings
  std::string verdict;
  bool right = false;
  int false_findings = 0;                           ///< limiting or present, and neither planted nor allowed
  std::vector<std::string> reasons;                 ///< why it is not right
  std::optional<std::vector<NsightAdvice>> nsight;  ///< on the same launch; nullopt = it did not see it
};

struct GainPair {
  std::size_t launch = 0;  ///< its place in the plan
  std::string label;
  std::string finding;
  std::string change;
  Gain expected;
  double actual = 0;  ///< time before / time after
  bool seen_by_nsight = false;
  std::vector<NsightAdvice> nsight;  ///< the advice that names the finding and estimates its gain

  double middle() const;
  bool inside() const { return actual >= expected.low && actual <= expected.high; }
  /// The middle within a quarter of the actual gain.
  bool near() const;
  /// True if an estimate of Nsight is within a quarter of the actual gain.
  bool nsight_near() const;
  /// High over low.
  double width() const { return expected.high / expected.low; }
};

/// Where and when the runs that were judged were made.
struct JudgedRun {
  Environment environment;
  bool measured = false;
  std::string calibration;  ///< source of the unit costs that the cost model used; "" = none
};

struct Accuracy {
  std::vector<JudgedRun> runs;  ///< one for each launch of the plan that has a run
  std::vector<JudgedLaunch> judged;
  std::vector<GainPair> pairs;
  std::vector<std::string> missing;  ///< planned launches without a run
  std::size_t nsight_launches = 0;
};

/// `runs` may be in any order and hold more than the plan.
Accuracy evaluate_accuracy(const std::vector<AccuracyLaunch>& plan, const std::vector<DiagnosedRun>& runs);

/// Puts Nsight's advice beside the launches: `seen` are the launches that it saw, `shown` the runs of the
/// gpuprobe that it watched, both in their order. Errors: kUsage if they do not line up by number, kernel
/// name, grid and block, or if a run is not in the plan.
Status add_nsight(Accuracy& accuracy, const std::vector<AccuracyLaunch>& plan,
                  const std::vector<NsightLaunch>& seen, const std::vector<DiagnosedRun>& shown);

/// The runs that a profiler beside gpuprobe is shown: not the ones of many launches, nor what a library
/// launches.
bool is_shown_to_nsight(const AccuracyLaunch& launch);

/// For each of `runs` the place of its launch in the plan; launches that look alike from outside are taken
/// in their order. nullopt: not in the plan, or more of them than the plan has.
std::vector<std::optional<std::size_t>> places_in_plan(const std::vector<AccuracyLaunch>& plan,
                                                       const std::vector<DiagnosedRun>& runs);

}  // namespace gpuprobe::cli
