// What the cost model's units cost on one GPU, measured there with the built-in kernels: what a shared-memory
// wavefront, a line of a global load, a missing warp and a chain of latencies really take, as a part of what
// the model counts for them. Without it the model uses wide general values.
//
//   device.calibration->wavefront      // {0.92, 1.02}: taking away one wavefront saves 0.92 to 1.02 of its
//   cycle
#pragma once

#include <string>

namespace gpuprobe {

/// The smallest and the largest value that the measured pairs gave.
struct CostRange {
  double low = 0;
  double high = 0;

  bool operator==(const CostRange&) const = default;
};

struct Calibration {
  CostRange wavefront;  ///< time saved by one wavefront less / its time in the data stage
  CostRange line;       ///< time saved by one L1 line look-up less / its time in the tag stage
  CostRange warp;       ///< gained part of what more resident warps could gain at most
  CostRange latency;    ///< time of clean latency-bound kernels / the latency that the model counts for them
  /// Measured time after a cure / what the waits before it lead to expect; {0, 0} = not measured.
  CostRange waits;
  std::string source;  ///< device, driver, date and command of the measurement

  bool operator==(const Calibration&) const = default;
};

}  // namespace gpuprobe
