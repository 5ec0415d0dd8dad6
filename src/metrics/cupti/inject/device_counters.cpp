#include "metrics/cupti/inject/device_counters.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "metrics/cupti/cupti_error.h"
#include "metrics/cupti/device_facts.h"
#include "metrics/cupti/params.h"

namespace gpuprobe::cupti {
namespace {

/// A launch of somebody else's cannot be repeated for timing by events: its duration is that of the counters'
/// first pass, as Nsight Compute takes it.
constexpr const char* kDuration = "gpu__time_duration.sum";
constexpr double kSecondsPerNanosecond = 1e-9;

}  // namespace

Result<DeviceCounters> DeviceCounters::open(const Apis& apis, int ordinal) {
  CUdevice device = 0;
  if (apis.driver->DeviceGet(&device, ordinal) != CUDA_SUCCESS) device = ordinal;
  auto spec = device_facts(*apis.driver, device);
  if (!spec) return tl::unexpected(spec.error());
  if (auto status = check_device(*spec); !status) return tl::unexpected(status.error());
  int driver_cuda = 0;
  std::uint32_t cupti_version = 0;
  apis.driver->DriverGetVersion(&driver_cuda);
  apis.cupti->GetVersion(&cupti_version);
  if (auto status = check_versions(cupti_version, driver_cuda); !status)
    return tl::unexpected(status.error());
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  if (auto status = check_cupti(apis.cupti->ProfilerInitialize(&initialize), "initialising the profiler");
      !status)
    return tl::unexpected(status.error());
  if (auto status = check_profiling_supported(*apis.cupti, device); !status)
    return tl::unexpected(status.error());
  auto chip = chip_of(*apis.cupti, ordinal);
  if (!chip) return tl::unexpected(chip.error());
  spec->chip = *chip;
  auto host = ProfilerHost::open(*apis.cupti, *chip);
  if (!host) return tl::unexpected(host.error());

  DeviceCounters counters(std::move(*spec), std::move(*host));
  counters.bound_ = hardware_counters(*chip, counters.host_);
  for (const BoundCounter& bound : counters.bound_) counters.names_.push_back(bound.binding->counter);
  counters.names_.push_back(kDuration);
  auto schedule = counters.host_.config_image(counters.names_);
  if (!schedule) return tl::unexpected(schedule.error());
  counters.schedule_ = std::move(*schedule);
  Environment& environment = counters.environment_;
  environment.device = counters.spec_.name;
  environment.arch = counters.spec_.arch;
  environment.driver = driver_version_text();
  environment.cuda = fmt::format("{}.{}", driver_cuda / 1000, driver_cuda % 1000 / 10);
  environment.cupti = cupti_version_text(cupti_version);
  return counters;
}

Status DeviceCounters::evaluate(const std::vector<std::uint8_t>& data, Counters& counters) const {
  auto values = host_.evaluate(data, names_);
  if (!values) return tl::unexpected(values.error());
  const double nanoseconds = values->back();
  values->pop_back();
  set_hardware_counters(counters, bound_, *values, spec_.chip);
  if (std::isfinite(nanoseconds))
    counters.set("time.duration",
                 {nanoseconds * kSecondsPerNanosecond, Unit::kSecond, Origin::kMeasured, {kDuration}});
  else
    counters.set_missing("time.duration", std::string("CUPTI gave no number for ") + kDuration);
  return {};
}

}  // namespace gpuprobe::cupti
