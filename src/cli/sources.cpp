#include "cli/sources.h"

#include <algorithm>

#include "cli/log.h"
#include "compile/compiler.h"
#include "metrics/cupti/cupti_source.h"
#include "model/devices/devices.h"
#include "model/predicted_source.h"

namespace gpuprobe::cli {
namespace {

// What a prediction is made for when nobody says: the architecture that the model's rules were measured on.
constexpr const char* kDefaultArch = "sm_90";

/// The first sentence of an error, which may go on with every path that was tried.
std::string first_sentence(const std::string& text) {
  const std::size_t stop = text.find(". ");
  return text.substr(0, std::min(stop, text.find('\n')));
}

Result<std::unique_ptr<CounterSource>> open_gpu(const SourceOptions& options) {
  auto gpu = options.counters ? CuptiSource::open(options.device,
                                                  [](const Kernel& kernel, std::string_view arch) {
                                                    return compile::compile(kernel, arch);
                                                  })
                              : CuptiSource::open_without_counters(options.device);
  if (!gpu) return gpu;
  const DeviceSpec& device = (*gpu)->device();
  if (options.arch.empty() || options.arch == device.arch) return gpu;
  return fail(ErrorCode::kUsage,
              "--arch " + options.arch + " cannot be measured: device " + std::to_string(options.device) +
                  " is " + device.name + " (" + device.arch + ")",
              "leave --arch out to measure, or predict with --source model --arch " + options.arch);
}

}  // namespace

Sources::~Sources() {
  [[maybe_unused]] const CounterSource* left_open = gpu_.release();
}

Result<Sources> Sources::open(const SourceOptions& options) {
  Sources sources;
  const bool automatic = options.source == "auto";
  if (automatic) {
    // Not asked first whether it can be opened: that would wait for CUPTI before the context is begun, 60 ms.
    auto gpu = open_gpu(options);
    // A device that was named must not be replaced by a prediction in silence, nor a wrong --arch.
    if (!gpu && options.device_given) return tl::unexpected(gpu.error());
    if (gpu) sources.gpu_ = std::move(*gpu);
    if (!gpu) {
      const std::string arch = options.arch.empty() ? kDefaultArch : options.arch;
      notice("predicting for " + arch + ": " + first_sentence(gpu.error().what));
      detail(gpu.error().what);
      if (gpu.error().code == ErrorCode::kMachine) detail(gpu.error().hint);
    }
  } else if (options.source != "model") {
    auto gpu = open_gpu(options);
    if (!gpu) {
      Error error = gpu.error();
      if (error.code == ErrorCode::kMachine && error.hint.find("--source model") == std::string::npos)
        error.hint += (error.hint.empty() ? "" : "; ") + std::string("to predict instead: --source model");
      return tl::unexpected(error);
    }
    sources.gpu_ = std::move(*gpu);
  }
  sources.predicts_ = !sources.gpu_ || options.source == "both";
  sources.arch_ = sources.gpu_           ? sources.gpu_->device().arch
                  : options.arch.empty() ? kDefaultArch
                                         : options.arch;
  const DeviceSpec* known = device_for_arch(sources.arch_);
  if (!known && !sources.gpu_)
    return fail(ErrorCode::kUsage, "there is no device file for " + sources.arch_,
                "gpuprobe devices lists what can be predicted");
  sources.model_ = std::make_unique<PredictedSource>(sources.gpu_ ? sources.gpu_->device() : *known);
  return sources;
}

}  // namespace gpuprobe::cli
