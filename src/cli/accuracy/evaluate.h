// How often the verdict was the planted answer, and how often the cure gained what was expected. Pure:
// planned launches and their runs in, figures out; the runs may be measured now or recorded earlier.
#pragma once

#include <string>
#include <vector>

#include "cli/accuracy/nsight_advice.h"
#include "cli/accuracy/plan.h"
#include "core/report.h"

namespace gpuprobe::cli {

struct JudgedLaunch {
  std::string label;
  std::string planted;  ///< "bank-conflict-load", "none", "a, b"
  std::string verdict;
  bool right = false;
  int false_findings = 0;            ///< limiting or present, and neither planted nor allowed
  std::vector<std::string> reasons;  ///< why it is not right
  std::vector<NsightAdvice> nsight;  ///< on the same launch
  int nsight_right = 0;              ///< advice that names the planted cause
  bool has_nsight = false;
};

struct GainPair {
  std::string label;
  std::string finding;
  std::string change;
  Gain expected;
  double actual = 0;                       ///< time before / time after
  double nsight_low = 0, nsight_high = 0;  ///< estimates of the advice that names the cause; 0 = none

  double middle() const;
  bool inside() const { return actual >= expected.low && actual <= expected.high; }
  /// The middle within a quarter of the actual gain.
  bool near() const;
  /// High over low.
  double width() const { return expected.high / expected.low; }
};

struct Accuracy {
  Environment environment;
  std::vector<JudgedLaunch> judged;
  std::vector<GainPair> pairs;
  std::vector<std::string> missing;  ///< planned launches without a run
  std::size_t nsight_launches = 0;
};

/// `runs` may be in any order and hold more than the plan.
Accuracy evaluate_accuracy(const std::vector<AccuracyLaunch>& plan, const std::vector<DiagnosedRun>& runs);

/// Puts Nsight's advice beside the launches: `launches` are those of the plan's steps in order, some of
/// which it may not have been shown. Errors: kUsage if one is not among them.
Status add_nsight(Accuracy& accuracy, const std::vector<AccuracyLaunch>& plan,
                  const std::vector<NsightLaunch>& launches);

/// The runs that a profiler beside gpuprobe is shown: not the ones of many launches.
bool is_shown_to_nsight(const AccuracyLaunch& launch);

/// The whole document, in Markdown.
std::string accuracy_document(const Accuracy& accuracy);

}  // namespace gpuprobe::cli
