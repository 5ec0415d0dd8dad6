#include "metrics/cupti/profiler_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "metrics/cupti/cupti_error.h"
#include "metrics/cupti/params.h"

namespace gpuprobe::cupti {
namespace {

std::string with_case(std::string text, int (*convert)(int)) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [convert](unsigned char c) { return static_cast<char>(convert(c)); });
  return text;
}

std::vector<const char*> c_strings(const std::vector<std::string>& strings) {
  std::vector<const char*> pointers;
  for (const std::string& text : strings) pointers.push_back(text.c_str());
  return pointers;
}

std::string text_or_empty(const char* text) {
  return text ? text : "";
}

Result<CUpti_Profiler_Host_Object*> make_object(const CuptiApi& api, const std::string& chip) {
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  if (auto status = check_cupti(api.ProfilerHostInitialize(&params), "preparing counters for " + chip);
      !status)
    return tl::unexpected(status.error());
  return params.pHostObject;
}

void free_object(const CuptiApi& api, CUpti_Profiler_Host_Object* object) {
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
  params.pHostObject = object;
  api.ProfilerHostDeinitialize(&params);
}

}  // namespace

Result<std::vector<std::string>> supported_chips(const CuptiApi& api) {
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, params);
  if (auto status = check_cupti(api.ProfilerHostGetSupportedChips(&params), "listing the chips it knows");
      !status)
    return tl::unexpected(status.error());
  std::vector<std::string> chips;
  for (std::size_t i = 0; i < params.numChips; ++i)
    chips.push_back(with_case(params.ppChipNames[i], [](int c) { return std::tolower(c); }));
  return chips;
}

Result<ProfilerHost> ProfilerHost::open(const CuptiApi& api, const std::string& chip) {
  const std::string name = with_case(chip, [](int c) { return std::toupper(c); });
  auto object = make_object(api, name);
  if (!object) return tl::unexpected(object.error());
  return ProfilerHost(api, name, *object);
}

ProfilerHost::ProfilerHost(ProfilerHost&& other) noexcept
    : api_(other.api_), chip_(std::move(other.chip_)), object_(std::exchange(other.object_, nullptr)) {}

ProfilerHost& ProfilerHost::operator=(ProfilerHost&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(chip_, other.chip_);
  std::swap(object_, other.object_);
  return *this;
}

ProfilerHost::~ProfilerHost() {
  if (object_) free_object(*api_, object_);
}

Result<MetricProperties> ProfilerHost::properties(const std::string& metric) const {
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties_Params, params);
  params.pHostObject = object_;
  params.pMetricName = metric.c_str();
  if (api_->ProfilerHostGetMetricProperties(&params) != CUPTI_SUCCESS)
    return fail(ErrorCode::kMachine, fmt::format("Chip {} has no counter {}.", chip_, metric),
                "Install a newer CUDA toolkit, or leave this metric out.");
  return MetricProperties{text_or_empty(params.pHwUnit), text_or_empty(params.pDimUnit),
                          text_or_empty(params.pDescription)};
}

Result<ConfigImage> ProfilerHost::config_image(const std::vector<std::string>& metrics) const {
  // A host object accumulates the metrics that are added to it, so each schedule gets a new one.
  auto object = make_object(*api_, chip_);
  if (!object) return tl::unexpected(object.error());
  const ProfilerHost scratch(*api_, chip_, *object);
  std::vector<const char*> names = c_strings(metrics);

  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = *object;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  if (api_->ProfilerHostConfigAddMetrics(&add) != CUPTI_SUCCESS) {
    for (const std::string& metric : metrics)
      if (auto known = properties(metric); !known) return tl::unexpected(known.error());
    return fail(ErrorCode::kMachine,
                fmt::format("CUPTI cannot schedule these {} counters together on {}.", metrics.size(), chip_),
                "Ask for fewer metrics.");
  }
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = *object;
  if (auto status = check_cupti(api_->ProfilerHostGetConfigImageSize(&size), "scheduling counters"); !status)
    return tl::unexpected(status.error());
  ConfigImage image;
  image.bytes.resize(size.configImageSize);
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, get);
  get.pHostObject = *object;
  get.configImageSize = image.bytes.size();
  get.pConfigImage = image.bytes.data();
  if (auto status = check_cupti(api_->ProfilerHostGetConfigImage(&get), "scheduling counters"); !status)
    return tl::unexpected(status.error());
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = image.bytes.size();
  passes.pConfigImage = image.bytes.data();
  if (auto status = check_cupti(api_->ProfilerHostGetNumOfPasses(&passes), "counting passes"); !status)
    return tl::unexpected(status.error());
  image.passes = passes.numOfPasses;
  return image;
}

Result<std::vector<double>> ProfilerHost::evaluate(const std::vector<std::uint8_t>& counter_data,
                                                   const std::vector<std::string>& metrics) const {
  std::vector<const char*> names = c_strings(metrics);
  std::vector<double> values(metrics.size());
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
  params.pHostObject = object_;
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = 0;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  if (auto status = check_cupti(api_->ProfilerHostEvaluateToGpuValues(&params), "evaluating counters");
      !status)
    return tl::unexpected(status.error());
  return values;
}

}  // namespace gpuprobe::cupti
