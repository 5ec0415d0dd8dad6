// Unit costs from measured pairs of a kernel and its cure: what the time did when nothing but wavefronts,
// lines or resident warps changed. Pure; `gpuprobe calibrate` measures the pairs.
//
//   CalibrationPairs pairs;  pairs.wavefront.push_back({tiled, padded});  ...
//   Result<Calibration> costs = calibrate(pairs);
#pragma once

#include <string>
#include <vector>

#include "core/calibration.h"
#include "core/result.h"
#include "core/run.h"

namespace gpuprobe::diagnose {

struct RunPair {
  const Run* before = nullptr;
  const Run* after = nullptr;
};

struct CalibrationPairs {
  std::vector<RunPair> wavefront;   ///< shared-memory conflicts cured
  std::vector<RunPair> line;        ///< scattered global loads cured
  std::vector<RunPair> scatter;     ///< the same elements read scattered and contiguous
  std::vector<RunPair> warp;        ///< the same work with more warps resident
  std::vector<const Run*> latency;  ///< clean kernels that no unit bounds
};

/// The ranges over the pairs, without a source. Errors: kMachine if a pair has no time or changes nothing, or
/// a cost is not positive: such a measurement is not to be trusted.
Result<Calibration> calibrate(const CalibrationPairs& pairs);

}  // namespace gpuprobe::diagnose
