// Measures on a GPU: launches the kernel through the driver API (loaded at run time), collects counters with
// the CUPTI Range Profiler (user range, user replay) and per-line exact counts with the SASS Metrics API.
//
//   auto source = CuptiSource::open(0, compile);   // kMachine with cause and remedy if this machine cannot
//   measure Result<Run> run = (*source)->collect(kernel, compiled, options);
#pragma once

#include <memory>
#include <string>

#include "core/counter_source.h"

namespace gpuprobe {

class CuptiSource {
 public:
  /// Opens CUDA device `ordinal` for measuring. Errors (all kMachine): no driver, no device, CC below 7.5,
  /// CUPTI missing or newer than the driver, counters not permitted, counters busy, MIG/vGPU, unknown chip.
  /// `compile` is for the kernel that compares buffers; its error is that of the first collect().
  static Result<std::unique_ptr<CounterSource>> open(int ordinal, CompileFunction compile);
  /// The same without CUPTI, which is not even loaded: kernels are run, timed and checked, and another
  /// profiler may watch the process.
  static Result<std::unique_ptr<CounterSource>> open_without_counters(int ordinal);
  /// Why the GPU cannot be used, or success; cheap (no CUPTI profiling session is opened).
  static Status probe(int ordinal, bool counters = true);
  /// The CUPTI library that measuring loads. Errors: kMachine.
  static Result<std::string> library_path();
};

}  // namespace gpuprobe
