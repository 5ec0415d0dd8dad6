#include "metrics/cupti/sass_session.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <utility>

#include "metrics/cupti/cupti_error.h"
#include "metrics/cupti/params.h"

namespace gpuprobe::cupti {
namespace {

constexpr std::array<std::pair<SassMetric, const char*>, 26> kNames{{
    {SassMetric::kThreads, "smsp__sass_thread_inst_executed_pred_on"},
    {SassMetric::kGlobalSectors, "smsp__sass_sectors_mem_global"},
    {SassMetric::kGlobalIdealSectors, "smsp__sass_sectors_mem_global_ideal"},
    {SassMetric::kGlobalLines, "smsp__sass_l1tex_tags_mem_global"},
    {SassMetric::kLocalSectors, "smsp__sass_sectors_mem_local"},
    {SassMetric::kWavefronts, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared"},
    {SassMetric::kIdealWavefronts, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal"},
    {SassMetric::kGlobalLoads, "smsp__sass_inst_executed_op_global_ld"},
    {SassMetric::kGlobalStores, "smsp__sass_inst_executed_op_global_st"},
    {SassMetric::kGlobalAtomics, "smsp__sass_inst_executed_op_global_atom"},
    {SassMetric::kGlobalReductions, "smsp__sass_inst_executed_op_global_red"},
    {SassMetric::kAsyncCopies, "smsp__sass_inst_executed_op_ldgsts"},
    {SassMetric::kSharedLoads, "smsp__sass_inst_executed_op_shared_ld"},
    {SassMetric::kSharedStores, "smsp__sass_inst_executed_op_shared_st"},
    {SassMetric::kSharedAtomics, "smsp__sass_inst_executed_op_shared_atom"},
    {SassMetric::kMatrixLoads, "smsp__sass_inst_executed_op_ldsm"},
    {SassMetric::kMatrixStores, "smsp__sass_inst_executed_op_shared_stsm"},
    {SassMetric::kLocalLoads, "smsp__sass_inst_executed_op_local_ld"},
    {SassMetric::kLocalStores, "smsp__sass_inst_executed_op_local_st"},
    {SassMetric::kTextures, "smsp__sass_inst_executed_op_texture"},
    {SassMetric::kBulkCopies, "smsp__sass_inst_executed_op_tma"},
    {SassMetric::kWidth8, "smsp__sass_inst_executed_op_memory_8b"},
    {SassMetric::kWidth16, "smsp__sass_inst_executed_op_memory_16b"},
    {SassMetric::kWidth32, "smsp__sass_inst_executed_op_memory_32b"},
    {SassMetric::kWidth64, "smsp__sass_inst_executed_op_memory_64b"},
    {SassMetric::kWidth128, "smsp__sass_inst_executed_op_memory_128b"},
}};

/// The one configuration of this process, for one device (see the header).
struct ProcessConfig {
  std::mutex mutex;
  int ordinal = -1;
  bool forgotten = false;  ///< there was one before
  std::map<std::uint64_t, SassMetric> metrics;
};

ProcessConfig& process_config() {
  static ProcessConfig config;
  return config;
}

Result<std::map<std::uint64_t, SassMetric>> find_metrics(const CuptiApi& api, const std::string& chip) {
  std::map<std::uint64_t, SassMetric> found;
  CUptiResult last = CUPTI_SUCCESS;
  for (const auto& [metric, name] : kNames) {
    GPUPROBE_CUPTI_PARAMS(CUpti_SassMetrics_GetProperties_Params, params);
    params.pChipName = chip.c_str();
    params.pMetricName = name;
    const CUptiResult result = api.SassMetricsGetProperties(&params);
    if (result == CUPTI_SUCCESS)
      found[params.metric.metricId] = metric;
    else
      last = result;
  }
  if (found.empty())
    return tl::unexpected(cupti_error(last, "looking up the counters of single instructions"));
  return found;
}

}  // namespace

std::string sass_metric_name(SassMetric metric) {
  for (const auto& [value, name] : kNames)
    if (value == metric) return name;
  return "";
}

Result<SassSession> SassSession::open(const CuptiApi& api, int ordinal, const std::string& chip) {
  ProcessConfig& config = process_config();
  const std::lock_guard lock(config.mutex);
  if (config.ordinal == ordinal) return SassSession(api, config.metrics);
  if (config.ordinal >= 0)
    return fail(ErrorCode::kMachine, "CUPTI counts single instructions on one device a process only.",
                "Measure each device with a gpuprobe of its own.");
  std::string name = chip;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  auto metrics = find_metrics(api, name);
  if (!metrics) return tl::unexpected(metrics.error());
  std::vector<CUpti_SassMetrics_Config> configs;
  for (const auto& [id, metric] : *metrics) {
    CUpti_SassMetrics_Config entry;
    entry.metricId = id;
    entry.outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU;
    configs.push_back(entry);
  }
  GPUPROBE_CUPTI_PARAMS(CUpti_SassMetricsSetConfig_Params, set);
  set.numOfMetricConfig = configs.size();
  set.pConfigs = configs.data();
  set.deviceIndex = static_cast<std::uint32_t>(ordinal);
  if (auto status =
          check_cupti(api.SassMetricsSetConfig(&set), "setting up the counters of single instructions");
      !status) {
    if (!config.forgotten) return tl::unexpected(status.error());
    return fail(ErrorCode::kMachine,
                "CUPTI does not count single instructions again after a context in which it did so is gone.",
                "Kernels measured before that have their counts.");
  }
  config.ordinal = ordinal;
  config.metrics = *metrics;
  return SassSession(api, *metrics);
}

void SassSession::forget(const CuptiApi& api, int ordinal) {
  ProcessConfig& config = process_config();
  const std::lock_guard lock(config.mutex);
  if (config.ordinal != ordinal) return;
  GPUPROBE_CUPTI_PARAMS(CUpti_SassMetricsUnsetConfig_Params, params);
  params.deviceIndex = static_cast<std::uint32_t>(ordinal);
  api.SassMetricsUnsetConfig(&params);
  config.ordinal = -1;
  config.forgotten = true;
}

Status SassSession::begin(CUcontext context) {
  GPUPROBE_CUPTI_PARAMS(CUpti_SassMetricsEnable_Params, params);
  params.ctx = context;
  params.enableLazyPatching = 1;  // only the functions that run, not every one of the module
  return check_cupti(api_->SassMetricsEnable(&params), "patching the kernel");
}

Result<std::vector<SassRecord>> SassSession::end(CUcontext context) {
  auto records = flush(context);
  GPUPROBE_CUPTI_PARAMS(CUpti_SassMetricsDisable_Params, params);
  params.ctx = context;
  api_->SassMetricsDisable(&params);
  return records;
}

Result<std::vector<SassRecord>> SassSession::collect(CUcontext context, const std::function<Status()>& run) {
  if (auto status = begin(context); !status) return tl::unexpected(status.error());
  const Status ran = run();
  auto records = end(context);
  if (!ran) return tl::unexpected(ran.error());
  return records;
}

Result<std::vector<SassRecord>> SassSession::flush(CUcontext context) {
  GPUPROBE_CUPTI_PARAMS(CUpti_SassMetricsGetDataProperties_Params, properties);
  properties.ctx = context;
  if (auto status =
          check_cupti(api_->SassMetricsGetDataProperties(&properties), "counting single instructions");
      !status)
    return tl::unexpected(status.error());
  const std::size_t count = properties.numOfPatchedInstructionRecords;
  if (count == 0)
    return fail(ErrorCode::kMachine, "CUPTI gave no counts for single instructions.",
                "The counters of the whole kernel are not affected. Try again, or predict: --source model.");
  // A record holds one metric; the room is for all, so that a CUPTI that fills more does not write past it.
  const std::size_t room = std::max<std::size_t>(properties.numOfInstances, 1) * metrics_.size();
  std::vector<CUpti_SassMetrics_InstanceValue> values(count * room);
  std::vector<CUpti_SassMetrics_Data> data(count);
  for (std::size_t i = 0; i < count; ++i) {
    data[i] = zeroed_params<CUpti_SassMetrics_Data>(sizeof(CUpti_SassMetrics_Data));
    data[i].pInstanceValues = &values[i * room];
  }
  GPUPROBE_CUPTI_PARAMS(CUpti_SassMetricsFlushData_Params, params);
  params.ctx = context;
  params.numOfPatchedInstructionRecords = count;
  params.numOfInstances = properties.numOfInstances;
  params.pMetricsData = data.data();
  if (auto status =
          check_cupti(api_->SassMetricsFlushData(&params), "reading the counts of single instructions");
      !status)
    return tl::unexpected(status.error());

  std::map<std::pair<std::string, std::uint64_t>, SassRecord> by_place;
  for (const CUpti_SassMetrics_Data& record : data) {
    if (!record.functionName) continue;
    SassRecord& place = by_place[{record.functionName, record.pcOffset}];
    place.function = record.functionName;
    place.offset = record.pcOffset;
    for (std::size_t i = 0; i < room; ++i) {
      const auto metric = metrics_.find(record.pInstanceValues[i].metricId);
      if (metric != metrics_.end() && record.pInstanceValues[i].value != 0)
        place.counts[metric->second] += static_cast<double>(record.pInstanceValues[i].value);
    }
  }
  std::vector<SassRecord> records;
  for (auto& [place, record] : by_place) records.push_back(std::move(record));
  return records;
}

}  // namespace gpuprobe::cupti
