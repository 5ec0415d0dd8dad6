// The numbers of one run, by their stable gpuprobe names ("global.load.sectors"), each with unit and origin.
// A number that could not be had is present as Missing with the reason; it never counts as good.
//
//   counters.set("global.load.requests", {524288.0, Unit::kRequest, Origin::kMeasured,
//   {"l1tex__t_requests..."}}); counters.set_missing("time.duration", "needs a GPU"); if (auto n =
//   counters.number("global.load.requests")) ...
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/unit.h"

namespace gpuprobe {

/// Where a number comes from.
enum class Origin { kMeasured, kPredicted, kRecorded };
/// "measured", "predicted", "recorded".
std::string_view to_string(Origin origin);
std::optional<Origin> origin_from_string(std::string_view name);

/// A number (or, for a few metrics such as occupancy.limiter, a text) with its unit and provenance.
struct Value {
  std::variant<double, std::string> value;
  Unit unit = Unit::kNone;
  Origin origin = Origin::kMeasured;
  std::vector<std::string>
      counters;  ///< CUPTI counters it was made of; empty if it is not a hardware counter
};

/// Why a number is not there.
struct Missing {
  std::string reason;
};

using Metric = std::variant<Value, Missing>;

class Counters {
 public:
  void set(std::string name, Value value);
  void set_missing(std::string name, std::string reason);

  /// The metric, or nullptr if the run does not mention it.
  const Metric* find(std::string_view name) const;
  /// The value, or nullptr if missing or not mentioned.
  const Value* value(std::string_view name) const;
  /// The number in its base unit; nullopt if missing, not mentioned or a text.
  std::optional<double> number(std::string_view name) const;
  /// The text of a textual metric; nullopt otherwise.
  std::optional<std::string> text(std::string_view name) const;
  /// Why `name` has no value: the recorded reason, or "not collected" if the run does not mention it.
  std::string missing_reason(std::string_view name) const;

  /// In name order.
  const std::map<std::string, Metric, std::less<>>& all() const { return metrics_; }

 private:
  std::map<std::string, Metric, std::less<>> metrics_;
};

}  // namespace gpuprobe
