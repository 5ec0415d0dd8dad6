// Nsight gives some exact counts only as the sum over loads, stores and atomics. Where bounds of the parts
// leave little room, the parts follow.
//
//   split(17301504, {{524288, 16861211}, {524288, 567997}}) -> {16777216, 524288}
#pragma once

#include <optional>
#include <vector>

namespace gpuprobe::recorded {

/// What is known of one part: it is at least `low` and at most `high`.
struct Bounds {
  double low = 0;
  double high = 0;
};

/// The parts of `total`, or nullopt if the bounds contradict it by more than kNoise or leave any part more
/// than kUncertainty of the total to choose. Within the room left the parts with less to give stay at their
/// lower end, as hardware counts (the upper bounds) carry noise upwards only.
std::optional<std::vector<double>> split(double total, std::vector<Bounds> parts);

/// Hardware counts were seen to miss up to 0.2 % (semantics of the counters, H200).
inline constexpr double kNoise = 0.005;
/// Less than what any rule could take for an excess.
inline constexpr double kUncertainty = 0.02;

}  // namespace gpuprobe::recorded
