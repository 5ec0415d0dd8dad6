// Connects the profiler to the program: CUPTI's callbacks for launches, modules, contexts, NVTX ranges.
#pragma once

#include "core/result.h"
#include "metrics/cupti/inject/launch_sink.h"
#include "metrics/cupti/inject/selection.h"

namespace gpuprobe::cupti {

/// Subscribes to the launches of this process, once and until it ends; `sink` must live as long. Errors:
/// kMachine (no CUPTI, another profiler is attached); the program then runs as if nothing had been injected.
Status start_injection(Selection selection, LaunchSink& sink);

}  // namespace gpuprobe::cupti
