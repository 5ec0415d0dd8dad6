// The seam of the design: whatever can turn a compiled kernel into a Run. Everything after it cannot tell
// which source ran.
#pragma once

#include <functional>
#include <string_view>

#include "core/compiled_kernel.h"
#include "core/kernel.h"
#include "core/result.h"
#include "core/run.h"

namespace gpuprobe {

struct CollectOptions {
  int warmup = 3;           ///< unmeasured runs before timing (GPU)
  int repeat = 15;          ///< timed runs (GPU)
  bool cold_cache = false;  ///< flush L2 before each timed run (GPU)
  bool exact = false;       ///< execute every block (prediction)
  double timeout_s = 60.0;  ///< limit for the kernel itself
  int threads = 0;          ///< worker threads of a prediction; 0 = all cores
};

/// Compiles a kernel for an arch ("sm_90"), for sources that run kernels of their own.
using CompileFunction = std::function<Result<CompiledKernel>(const Kernel& kernel, std::string_view arch)>;

class CounterSource {
 public:
  virtual ~CounterSource() = default;
  /// The device the run is (or would be) made on; its arch is what the kernel must be compiled for.
  virtual const DeviceSpec& device() const = 0;
  /// Runs `kernel` and returns counters, sites, check outcome and hazards. Occupancy from static facts and
  /// the derived metrics of the catalog are added by the caller, for every source in the same way.
  virtual Result<Run> collect(const Kernel& kernel, const CompiledKernel& compiled,
                              const CollectOptions& options) = 0;
  /// Runs `kernel` plainly, every block of it and without counting, and returns its buffers: what a check
  /// compares with. Errors: those of collect().
  virtual Result<HostBuffers> execute(const Kernel& kernel, const CompiledKernel& compiled,
                                      const CollectOptions& options) = 0;
};

}  // namespace gpuprobe
