// Times a kernel by events on the GPU, outside the profiled passes.
#pragma once

#include <functional>

#include "core/counter_source.h"
#include "core/result.h"
#include "core/run.h"
#include "metrics/cupti/driver_api.h"
#include "metrics/cupti/launcher.h"

namespace gpuprobe::cupti {

/// Median, smallest and largest of `seconds`, which must not be empty.
Timing timing_of(std::vector<double> seconds);

/// Runs `launcher` options.warmup times untimed and options.repeat times timed; `before` is called before
/// each run (to restore buffers, to flush the L2 cache) and is not timed. Without `gated` nothing holds the
/// GPU back while work is queued: a profiler that watches waits for each launch by itself, and would wait for
/// ever. Errors: as Launcher::run.
Result<Timing> time_runs(const DriverApi& driver, Launcher& launcher, const CollectOptions& options,
                         const std::function<Status()>& before, bool gated);

}  // namespace gpuprobe::cupti
