#include "metrics/recorded/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpuprobe::recorded {

std::optional<std::vector<double>> split(double total, std::vector<Bounds> parts) {
  if (!(total >= 0) || parts.empty()) return std::nullopt;
  double lowest = 0, highest = 0;
  for (Bounds& part : parts) {
    if (!std::isfinite(part.low) || !std::isfinite(part.high)) return std::nullopt;
    part.low = std::max(part.low, 0.0);
    part.high = std::max(part.high, part.low);
    lowest += part.low;
    highest += part.high;
  }
  const double noise = kNoise * total;
  if (total > highest + noise || total < lowest - noise) return std::nullopt;
  // A contradiction within the noise: stretch the bounds to the total.
  if (total > highest && highest > 0)
    for (Bounds& part : parts) part.high *= total / highest;
  if (total < lowest && lowest > 0)
    for (Bounds& part : parts) part.low *= total / lowest;
  if (total > highest && highest == 0) return std::nullopt;

  lowest = highest = 0;
  for (const Bounds& part : parts) lowest += part.low, highest += part.high;
  std::vector<double> values(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double low = std::max(parts[i].low, total - (highest - parts[i].high));
    const double high = std::min(parts[i].high, total - (lowest - parts[i].low));
    if (high - low > kUncertainty * total) return std::nullopt;
    values[i] = low;
  }
  const auto largest = static_cast<std::size_t>(
      std::max_element(parts.begin(), parts.end(),
                       [](const Bounds& a, const Bounds& b) { return a.high < b.high; }) -
      parts.begin());
  const double others = std::accumulate(values.begin(), values.end(), 0.0) - values[largest];
  values[largest] = total - others;
  return values;
}

}  // namespace gpuprobe::recorded
