// What a change of a kernel did: the cure of a finding that was tried at once (`--prove`), or a macro that
// the user set (`--try`). What was expected stands beside what came of it.
//
//   Proof proof;  proof.change = "--pad";  proof.expected = Gain{1.4, 1.8, ""};  proof.gain = 1.71;
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/finding.h"
#include "core/unit.h"

namespace gpuprobe {

/// One metric before and after the change; a side that is not there could not be had.
struct MetricChange {
  std::string metric;
  Unit unit = Unit::kNone;
  std::optional<double> before;
  std::optional<double> after;
};

struct Proof {
  std::string finding;           ///< kind that the change is to cure; "" if it was only tried
  std::string change;            ///< as typed: "--pad", "TILE=16"
  std::string text;              ///< what it changes: "pad each row of the tile by one element"
  std::optional<Gain> expected;  ///< of the finding
  std::optional<double> gain;    ///< measured: time before / time after
  std::string missing;           ///< why `gain` is not there; empty if it is
  std::vector<MetricChange> metrics;
  std::string after;  ///< verdict kind of the changed kernel; empty if it did not run
  bool gone = false;  ///< the finding is not limiting or present in the changed kernel

  /// True if the measured gain lies in the expected interval.
  bool inside() const { return expected && gain && *gain >= expected->low && *gain <= expected->high; }
};

}  // namespace gpuprobe
