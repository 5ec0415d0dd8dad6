// Exact counts for each machine instruction, by the CUPTI SASS Metrics API: the kernel is patched and run
// once more.
//
//   auto session = SassSession::open(api, 0, "gh100");
//   Result<std::vector<SassRecord>> records = session->collect(context, run_the_kernel);
//
// Measured on an H200 with CUPTI 13.0: (1) a function gives records only if it was loaded (launched) before
// it is patched; (2) functions after the first give records only if a range-profiler session ran before in
// the process; (3) a second SetConfig in a process fails with OUT_OF_MEMORY, even after UnsetConfig; (4) if a
// context in which instructions were counted is destroyed without UnsetConfig, the process crashes when it
// ends. So the configuration is made once a process, after a range-profiler session, and kept; then every
// function of every module gives its records.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "metrics/cupti/cupti_api.h"

namespace gpuprobe::cupti {

/// What is counted for each instruction.
enum class SassMetric {
  kThreads,  ///< threads with a true predicate
  kGlobalSectors,
  kGlobalIdealSectors,
  kGlobalLines,  ///< L1 tag look-ups
  kLocalSectors,
  kWavefronts,
  kIdealWavefronts,
  kGlobalLoads,  ///< from here on: warp instructions with at least one active lane, by operation
  kGlobalStores,
  kGlobalAtomics,
  kGlobalReductions,
  kAsyncCopies,
  kSharedLoads,
  kSharedStores,
  kSharedAtomics,
  kMatrixLoads,
  kMatrixStores,
  kLocalLoads,
  kLocalStores,
  kTextures,
  kBulkCopies,
  kWidth8,  ///< from here on: executed memory instructions by access width
  kWidth16,
  kWidth32,
  kWidth64,
  kWidth128,
};

/// CUPTI's name of a metric.
std::string sass_metric_name(SassMetric metric);

/// The counts of one instruction; metrics that are zero are not there.
struct SassRecord {
  std::string function;      ///< symbol
  std::uint64_t offset = 0;  ///< bytes from the function's start
  std::map<SassMetric, double> counts;
};

class SassSession {
 public:
  /// Configures the counting on device `ordinal` (once a process; later calls reuse it). Metrics that the
  /// chip does not have are left out. Errors: kMachine if the device does not support it.
  static Result<SassSession> open(const CuptiApi& api, int ordinal, const std::string& chip);

  /// Patches the loaded functions, calls `run`, and returns the counts of every instruction that was
  /// executed, by function and offset. Errors: that of `run`, or kMachine.
  Result<std::vector<SassRecord>> collect(CUcontext context, const std::function<Status()>& run);

  /// The same for a launch that somebody else makes: begin(), the launch, wait for it, end().
  Status begin(CUcontext context);
  Result<std::vector<SassRecord>> end(CUcontext context);

  /// Gives the configuration up, with all that CUPTI keeps for contexts of the device: before such a context
  /// is destroyed. This session and others of the device cannot be used any more.
  static void forget(const CuptiApi& api, int ordinal);

 private:
  SassSession(const CuptiApi& api, std::map<std::uint64_t, SassMetric> metrics)
      : api_(&api), metrics_(std::move(metrics)) {}

  Result<std::vector<SassRecord>> flush(CUcontext context);

  const CuptiApi* api_;
  std::map<std::uint64_t, SassMetric> metrics_;  ///< by CUPTI's id
};

}  // namespace gpuprobe::cupti
