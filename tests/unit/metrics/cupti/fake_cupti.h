// A CUPTI that answers from a table of the test: counters have the values that the test gives, single
// instructions the counts, and any call can be made to fail. One state a process, reset by each test.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "metrics/cupti/cupti_api.h"

namespace gpuprobe::cupti {

struct FakeInstruction {
  std::string function;
  std::uint32_t offset = 0;
  std::string metric;
  std::uint64_t value = 0;
};

struct FakeCupti {
  std::map<std::string, CUptiResult> fails;
  std::vector<std::string> calls;
  std::uint32_t version = 130000;
  std::string chip = "GH100";
  std::vector<const char*> chips = {"TU102", "GH100"};
  std::set<std::string> absent;          ///< counters that the chip does not have
  std::map<std::string, double> values;  ///< of counters; 1 if not here
  std::size_t passes = 3;
  std::size_t submitted_after = 3;  ///< passes after which CUPTI says that all are done
  std::size_t done = 0;
  std::size_t dropped = 0;
  CUpti_Profiler_DeviceSupported_Params support{};
  std::vector<FakeInstruction> instructions;
  std::vector<std::string> scheduled;

  CUptiResult called(const char* name) {
    calls.push_back(name);
    const auto fail = fails.find(name);
    return fail == fails.end() ? CUPTI_SUCCESS : fail->second;
  }
  int count(const std::string& name) const {
    int n = 0;
    for (const std::string& call : calls) n += call == name;
    return n;
  }
};

inline FakeCupti& fake_cupti() {
  static FakeCupti state;
  return state;
}

/// Names of the counters of single instructions; a metric's id is its index + 1. Not reset: gpuprobe asks for
/// the ids once a process.
inline std::vector<std::string>& fake_sass_names() {
  static std::vector<std::string> names;
  return names;
}

inline CuptiApi make_fake_cupti() {
  fake_cupti() = {};
  auto& support = fake_cupti().support;
  for (CUpti_Profiler_Support_Level* level :
       {&support.isSupported, &support.architecture, &support.sli, &support.vGpu,
        &support.confidentialCompute, &support.cmp, &support.wsl})
    *level = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  CuptiApi api;
#define X(name) api.name = [](auto...) { return fake_cupti().called(#name); };
  X(ProfilerInitialize)
  X(ProfilerHostDeinitialize)
  X(RangeProfilerDisable)
  X(RangeProfilerCounterDataImageInitialize)
  X(RangeProfilerSetConfig)
  X(RangeProfilerStart)
  X(RangeProfilerPushRange)
  X(RangeProfilerPopRange)
  X(SassMetricsSetConfig)
  X(SassMetricsUnsetConfig)
  X(SassMetricsEnable)
  X(SassMetricsDisable)
#undef X
  api.GetVersion = [](std::uint32_t* version) {
    *version = fake_cupti().version;
    return fake_cupti().called("GetVersion");
  };
  api.DeviceGetChipName = [](CUpti_Device_GetChipName_Params* p) {
    p->pChipName = fake_cupti().chip.c_str();
    return fake_cupti().called("DeviceGetChipName");
  };
  api.ProfilerDeviceSupported = [](CUpti_Profiler_DeviceSupported_Params* p) {
    const auto& s = fake_cupti().support;
    p->isSupported = s.isSupported;
    p->architecture = s.architecture;
    p->sli = s.sli;
    p->vGpu = s.vGpu;
    p->confidentialCompute = s.confidentialCompute;
    p->cmp = s.cmp;
    p->wsl = s.wsl;
    return fake_cupti().called("ProfilerDeviceSupported");
  };
  api.ProfilerHostGetSupportedChips = [](CUpti_Profiler_Host_GetSupportedChips_Params* p) {
    p->numChips = fake_cupti().chips.size();
    p->ppChipNames = fake_cupti().chips.data();
    return fake_cupti().called("ProfilerHostGetSupportedChips");
  };
  api.ProfilerHostInitialize = [](CUpti_Profiler_Host_Initialize_Params* p) {
    p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(0x50);
    return fake_cupti().called("ProfilerHostInitialize");
  };
  api.ProfilerHostGetMetricProperties = [](CUpti_Profiler_Host_GetMetricProperties_Params* p) {
    if (fake_cupti().absent.count(p->pMetricName)) return CUPTI_ERROR_INVALID_METRIC_NAME;
    return CUPTI_SUCCESS;
  };
  api.ProfilerHostConfigAddMetrics = [](CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
    fake_cupti().scheduled.assign(p->ppMetricNames, p->ppMetricNames + p->numMetrics);
    for (const std::string& name : fake_cupti().scheduled)
      if (fake_cupti().absent.count(name)) return CUPTI_ERROR_INVALID_PARAMETER;
    return CUPTI_SUCCESS;
  };
  api.ProfilerHostGetConfigImageSize = [](CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
    p->configImageSize = 8;
    return CUPTI_SUCCESS;
  };
  api.ProfilerHostGetConfigImage = [](CUpti_Profiler_Host_GetConfigImage_Params*) { return CUPTI_SUCCESS; };
  api.ProfilerHostGetNumOfPasses = [](CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
    p->numOfPasses = fake_cupti().passes;
    return CUPTI_SUCCESS;
  };
  api.ProfilerHostEvaluateToGpuValues = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
    for (std::size_t i = 0; i < p->numMetrics; ++i) {
      const auto found = fake_cupti().values.find(p->ppMetricNames[i]);
      p->pMetricValues[i] = found == fake_cupti().values.end() ? 1 : found->second;
    }
    return fake_cupti().called("ProfilerHostEvaluateToGpuValues");
  };
  api.RangeProfilerEnable = [](CUpti_RangeProfiler_Enable_Params* p) {
    p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(0x60);
    return fake_cupti().called("RangeProfilerEnable");
  };
  api.RangeProfilerGetCounterDataSize = [](CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
    p->counterDataSize = 16;
    return fake_cupti().called("RangeProfilerGetCounterDataSize");
  };
  api.RangeProfilerStop = [](CUpti_RangeProfiler_Stop_Params* p) {
    p->isAllPassSubmitted = ++fake_cupti().done >= fake_cupti().submitted_after;
    return fake_cupti().called("RangeProfilerStop");
  };
  api.RangeProfilerDecodeData = [](CUpti_RangeProfiler_DecodeData_Params* p) {
    p->numOfRangeDropped = fake_cupti().dropped;
    fake_cupti().done = 0;
    return fake_cupti().called("RangeProfilerDecodeData");
  };
  api.SassMetricsGetProperties = [](CUpti_SassMetrics_GetProperties_Params* p) {
    auto& names = fake_sass_names();
    if (fake_cupti().absent.count(p->pMetricName)) return CUPTI_ERROR_INVALID_PARAMETER;
    names.push_back(p->pMetricName);
    p->metric.metricId = names.size();
    return CUPTI_SUCCESS;
  };
  api.SassMetricsGetDataProperties = [](CUpti_SassMetricsGetDataProperties_Params* p) {
    p->numOfPatchedInstructionRecords = fake_cupti().instructions.size();
    p->numOfInstances = 1;
    return fake_cupti().called("SassMetricsGetDataProperties");
  };
  api.SassMetricsFlushData = [](CUpti_SassMetricsFlushData_Params* p) {
    for (std::size_t i = 0; i < p->numOfPatchedInstructionRecords; ++i) {
      const FakeInstruction& from = fake_cupti().instructions[i];
      p->pMetricsData[i].functionName = from.function.c_str();
      p->pMetricsData[i].pcOffset = from.offset;
      const auto& names = fake_sass_names();
      for (std::size_t id = 0; id < names.size(); ++id)
        if (names[id] == from.metric) p->pMetricsData[i].pInstanceValues[0] = {id + 1, from.value};
    }
    return fake_cupti().called("SassMetricsFlushData");
  };
  api.GetSassToSourceCorrelation = [](CUpti_GetSassToSourceCorrelationParams* p) {
    p->lineNumber = static_cast<std::uint32_t>(p->pcOffset / 16 + 1);
    p->fileName = strdup("kernel.cu");
    p->dirName = strdup("transpose");
    return CUPTI_SUCCESS;
  };
  return api;
}

}  // namespace gpuprobe::cupti
