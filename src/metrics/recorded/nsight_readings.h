// The numbers of one exported launch by their Nsight metric names, in base units, whichever page they come
// from.
//
//   Readings readings(launch, style);
//   readings.number("gpu__time_duration.sum")        // seconds
//   readings.number("launch__registers_per_thread")  // also if the export calls it "Registers Per Thread"
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "metrics/recorded/nsight_csv.h"
#include "metrics/recorded/nsight_number.h"

namespace gpuprobe::recorded {

class Readings {
 public:
  Readings(const NsightLaunch& launch, NumberStyle style);

  /// The number in its base unit (bytes, seconds, Hz, counts, percent); nullopt if absent or not a number.
  std::optional<double> number(std::string_view metric) const;
  std::optional<std::string> text(std::string_view metric) const;
  bool has(std::string_view metric) const { return cells_.find(metric) != cells_.end(); }
  /// True if the cell was printed in a scaled unit with few digits ("4.10 Kbyte"), so that a count is not
  /// exact.
  bool is_rounded(std::string_view metric) const;

 private:
  struct Reading {
    std::string cell;
    std::optional<double> number;
    bool rounded = false;
  };
  std::map<std::string, Reading, std::less<>> cells_;
};

/// The style that the cells of all launches agree on; decimal points if none tells.
NumberStyle number_style_of(const std::vector<NsightLaunch>& launches);

}  // namespace gpuprobe::recorded
