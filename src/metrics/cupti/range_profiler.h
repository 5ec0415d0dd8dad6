// Collects counters over one user range, replaying the kernel pass by pass.
//
//   auto profiler = RangeProfiler::enable(api, context);
//   profiler->prepare(config, metrics);               // programs the counters; slow the first time in a
//   process auto data = profiler->collect(restore_buffers, run_the_kernel);   // as many runs as the schedule
//   has passes
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "metrics/cupti/cupti_api.h"
#include "metrics/cupti/profiler_host.h"

namespace gpuprobe::cupti {

class RangeProfiler {
 public:
  /// Errors: kMachine with the cause (permission, counters busy, MIG, ...).
  static Result<RangeProfiler> enable(const CuptiApi& api, CUcontext context);
  RangeProfiler(RangeProfiler&& other) noexcept;
  RangeProfiler& operator=(RangeProfiler&&) = delete;
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler();

  /// What one range is.
  enum class Ranges {
    kUser,    ///< from push to pop, replayed by the caller
    kLaunch,  ///< one launch, replayed by CUPTI, which saves and restores the memory that it writes
  };
  /// Sets the schedule and starts its first pass. One schedule for the life of the object: CUPTI 13.0 keeps
  /// using the first one it was given (measured). Costs 190 ms the first time in a process, on an H200.
  Status prepare(const ConfigImage& config, const std::vector<std::string>& metrics,
                 Ranges ranges = Ranges::kUser);
  /// Calls `before` (not counted) and `run` (counted) once a pass until all passes are done; after prepare().
  /// What they start on the GPU must be done when they return. Returns the counter data to evaluate. Errors:
  /// those of `before` and `run`, or kMachine.
  Result<std::vector<std::uint8_t>> collect(const std::function<Status()>& before,
                                            const std::function<Status()>& run);
  /// After prepare() with Ranges::kLaunch and one launch: waits for its passes and returns the counter data.
  /// Errors: kMachine.
  Result<std::vector<std::uint8_t>> finish_launch();
  /// Lets go of the counters, so that another process can have them; nothing can be measured afterwards.
  void disable();
  /// Never disable: that waits for the kernel, which may not end.
  void abandon() { object_ = nullptr; }

 private:
  RangeProfiler(const CuptiApi& api, CUpti_RangeProfiler_Object* object) : api_(&api), object_(object) {}

  Status start();
  Result<bool> stop();
  Result<std::vector<std::uint8_t>> decode();
  Status pass(const std::function<Status()>& run);

  const CuptiApi* api_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  bool started_ = false;
  bool used_ = false;  ///< a range was opened since the start
  std::size_t passes_ = 0;
  /// Every image that CUPTI was given stays alive: it still touches earlier ones when it gets the next
  /// (freeing the fifth last crashed, CUPTI 13.0).
  std::deque<std::vector<std::uint8_t>> configs_;
  std::deque<std::vector<std::uint8_t>> images_;
};

}  // namespace gpuprobe::cupti
