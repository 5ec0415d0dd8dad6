#include "metrics/cupti/range_profiler.h"

#include <fmt/format.h>

#include <utility>

#include "metrics/cupti/cupti_error.h"
#include "metrics/cupti/params.h"

namespace gpuprobe::cupti {
namespace {

constexpr const char* kRangeName = "gpuprobe";

}  // namespace

Result<RangeProfiler> RangeProfiler::enable(const CuptiApi& api, CUcontext context) {
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
  params.ctx = context;
  if (auto status = check_cupti(api.RangeProfilerEnable(&params), "opening the GPU's counters"); !status)
    return tl::unexpected(status.error());
  return RangeProfiler(api, params.pRangeProfilerObject);
}

RangeProfiler::RangeProfiler(RangeProfiler&& other) noexcept
    : api_(other.api_),
      object_(std::exchange(other.object_, nullptr)),
      started_(other.started_),
      used_(other.used_),
      passes_(other.passes_),
      configs_(std::move(other.configs_)),
      images_(std::move(other.images_)) {}

RangeProfiler::~RangeProfiler() {
  disable();
}

void RangeProfiler::disable() {
  if (!object_) return;
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
  params.pRangeProfilerObject = std::exchange(object_, nullptr);
  api_->RangeProfilerDisable(&params);
}

Status RangeProfiler::prepare(const ConfigImage& config, const std::vector<std::string>& metrics,
                              Ranges ranges) {
  if (started_ && !used_) return {};
  if (started_)  // a run failed in the middle of its passes
    if (auto stopped = stop(); !stopped) return tl::unexpected(stopped.error());
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  if (auto status = check_cupti(api_->RangeProfilerGetCounterDataSize(&size), "sizing the counter data");
      !status)
    return status;
  configs_.push_back(config.bytes);
  images_.emplace_back(size.counterDataSize);
  passes_ = config.passes;

  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
  image.pRangeProfilerObject = object_;
  image.counterDataSize = images_.back().size();
  image.pCounterData = images_.back().data();
  if (auto status =
          check_cupti(api_->RangeProfilerCounterDataImageInitialize(&image), "making the counter data");
      !status)
    return status;
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, set);
  set.pRangeProfilerObject = object_;
  set.configSize = configs_.back().size();
  set.pConfig = configs_.back().data();
  set.counterDataImageSize = images_.back().size();
  set.pCounterDataImage = images_.back().data();
  set.range = ranges == Ranges::kUser ? CUPTI_UserRange : CUPTI_AutoRange;
  set.replayMode = ranges == Ranges::kUser ? CUPTI_UserReplay : CUPTI_KernelReplay;
  set.maxRangesPerPass = 1;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  if (auto status = check_cupti(api_->RangeProfilerSetConfig(&set), "setting the counters up"); !status)
    return status;
  return start();
}

Status RangeProfiler::start() {
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, params);
  params.pRangeProfilerObject = object_;
  if (auto status = check_cupti(api_->RangeProfilerStart(&params), "starting the counters"); !status)
    return status;
  started_ = true;
  used_ = false;
  return {};
}

Result<bool> RangeProfiler::stop() {
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
  params.pRangeProfilerObject = object_;
  if (auto status = check_cupti(api_->RangeProfilerStop(&params), "stopping the counters"); !status)
    return tl::unexpected(status.error());
  started_ = false;
  return params.isAllPassSubmitted != 0;
}

Status RangeProfiler::pass(const std::function<Status()>& run) {
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
  push.pRangeProfilerObject = object_;
  push.pRangeName = kRangeName;
  used_ = true;
  if (auto status = check_cupti(api_->RangeProfilerPushRange(&push), "opening the range"); !status)
    return status;
  if (auto status = run(); !status) return status;
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, pop);
  pop.pRangeProfilerObject = object_;
  return check_cupti(api_->RangeProfilerPopRange(&pop), "closing the range");
}

Result<std::vector<std::uint8_t>> RangeProfiler::collect(const std::function<Status()>& before,
                                                         const std::function<Status()>& run) {
  for (std::size_t done = 0;; ++done) {
    if (done > 0)
      if (auto status = start(); !status) return tl::unexpected(status.error());
    if (auto status = before(); !status) return tl::unexpected(status.error());
    if (auto status = pass(run); !status) return tl::unexpected(status.error());
    auto complete = stop();
    if (!complete) return tl::unexpected(complete.error());
    if (*complete) break;
    if (done > passes_)
      return fail(ErrorCode::kDefect,
                  fmt::format("CUPTI asked for more than the {} passes that it planned.", passes_),
                  "Please report it with the output of `gpuprobe doctor`.");
  }
  return decode();
}

Result<std::vector<std::uint8_t>> RangeProfiler::finish_launch() {
  used_ = true;
  auto complete = stop();
  if (!complete) return tl::unexpected(complete.error());
  if (!*complete)
    return fail(ErrorCode::kMachine, "CUPTI did not run all passes of the launch.",
                "Please report it with the output of `gpuprobe doctor`.");
  return decode();
}

Result<std::vector<std::uint8_t>> RangeProfiler::decode() {
  GPUPROBE_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
  params.pRangeProfilerObject = object_;
  if (auto status = check_cupti(api_->RangeProfilerDecodeData(&params), "decoding the counters"); !status)
    return tl::unexpected(status.error());
  if (params.numOfRangeDropped != 0)
    return fail(ErrorCode::kMachine, "CUPTI dropped the measured range.",
                "Try again; end other users of the GPU.");
  return images_.back();
}

}  // namespace gpuprobe::cupti
