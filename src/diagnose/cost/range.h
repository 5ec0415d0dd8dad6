// An interval of non-negative numbers, for estimates that are honest about their width.
#pragma once

#include <cmath>

namespace gpuprobe::diagnose {

struct Range {
  double low = 0;
  double high = 0;

  /// Geometric middle: a factor above it weighs as much as the same factor below.
  double middle() const { return low > 0 ? std::sqrt(low * high) : high / 2; }
};

}  // namespace gpuprobe::diagnose
