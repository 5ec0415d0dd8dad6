// The CUPTI functions that gpuprobe calls, as a table filled from the library at run time. Tests fill it
// themselves to make any call fail as they like.
//
//   Result<const CuptiApi*> cupti = cupti_api();
//   (*cupti)->RangeProfilerStart(&start);
#pragma once

#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

// All names without their "cupti" prefix. cuptiGetSassToSourceCorrelation is not among them: the line table
// is read from the cubin, which needs no CUPTI.
// clang-format off
#define GPUPROBE_CUPTI_FUNCTIONS(X) \
  X(GetVersion) X(GetResultString) X(DeviceGetChipName) X(ProfilerInitialize) X(ProfilerDeviceSupported) \
  X(ProfilerHostGetSupportedChips) X(ProfilerHostInitialize) X(ProfilerHostDeinitialize) \
  X(ProfilerHostGetMetricProperties) X(ProfilerHostConfigAddMetrics) X(ProfilerHostGetConfigImageSize) \
  X(ProfilerHostGetConfigImage) X(ProfilerHostGetNumOfPasses) X(ProfilerHostEvaluateToGpuValues) \
  X(RangeProfilerEnable) X(RangeProfilerDisable) X(RangeProfilerGetCounterDataSize) \
  X(RangeProfilerCounterDataImageInitialize) X(RangeProfilerSetConfig) X(RangeProfilerStart) \
  X(RangeProfilerStop) X(RangeProfilerPushRange) X(RangeProfilerPopRange) X(RangeProfilerDecodeData) \
  X(SassMetricsGetProperties) X(SassMetricsSetConfig) X(SassMetricsUnsetConfig) X(SassMetricsEnable) \
  X(SassMetricsDisable) X(SassMetricsGetDataProperties) X(SassMetricsFlushData) X(GetSassToSourceCorrelation) \
  X(Subscribe) X(EnableCallback) X(GetCallbackName)
// clang-format on

namespace gpuprobe::cupti {

struct CuptiApi {
#define X(name) decltype(&::cupti##name) name = nullptr;
  GPUPROBE_CUPTI_FUNCTIONS(X)
#undef X
};

/// The loaded library, loaded once a process. Errors (kMachine): not found, with the places that were
/// searched; too old (older than CUDA 12.6), naming the function that it lacks.
Result<const CuptiApi*> cupti_api();
/// Where the loaded library came from; empty if it is not loaded.
std::string cupti_path();

/// Where libcupti is looked for, in order: $GPUPROBE_CUPTI (a file or folder), the toolkit that gpuprobe was
/// built with, $CUDA_HOME and $CUDA_PATH, /usr/local/cuda*, the loader's own path, and a Python environment's
/// nvidia-cuda-cupti wheel.
std::vector<std::string> cupti_candidates();

/// "13.0" of what cuptiGetVersion returns (13.0: 130000; 12.x: a running number that the CUPTI header lists).
std::string cupti_version_text(std::uint32_t version);
/// The same as CUDA's own number (13000 = 13.0), to compare with the driver; 0 if not known.
int cuda_version_of_cupti(std::uint32_t version);

}  // namespace gpuprobe::cupti
