#include "metrics/cupti/gpu.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "metrics/cupti/cupti_error.h"
#include "metrics/cupti/device_facts.h"
#include "metrics/cupti/driver_error.h"
#include "metrics/cupti/params.h"

namespace gpuprobe::cupti {
namespace {

constexpr int kOldestMajor = 7;  ///< CUPTI's range profiler supports compute capability 7.5 and later
constexpr int kOldestMinor = 5;
constexpr const char* kPredict = "Use --source model to predict instead.";

std::string cuda_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// One hardware queue is all that a single stream needs, and makes the context 50 ms faster (H200, driver
/// 580). The driver reads it once, when it is initialised; a value that the user set stays.
void prepare_process() {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
}

/// Loads libcupti and the libraries that it opens on first use (30 MB and more), and brings their tables into
/// memory by scheduling one counter, of whatever chip: 90 ms that overlap with cuInit.
Result<const CuptiApi*> load_cupti() {
  auto api = cupti_api();
  if (!api) return api;
  if (auto chips = supported_chips(**api); chips && !chips->empty())
    if (auto host = ProfilerHost::open(**api, chips->back())) host->config_image({"smsp__inst_executed.sum"});
  return api;
}

}  // namespace

Status check_device(const DeviceSpec& spec) {
  if (spec.name.find("MIG") != std::string::npos)
    return tl::unexpected(cupti_error(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "opening " + spec.name));
  if (std::pair(spec.cc_major, spec.cc_minor) < std::pair(kOldestMajor, kOldestMinor))
    return fail(ErrorCode::kMachine,
                fmt::format("{} has compute capability {}.{}; counters can be read from 7.5 (Turing) on.",
                            spec.name, spec.cc_major, spec.cc_minor),
                kPredict);
  return {};
}

Status check_versions(std::uint32_t cupti_version, int driver_cuda_version) {
  const int cupti_cuda = cuda_version_of_cupti(cupti_version);
  if (cupti_cuda / 1000 <= driver_cuda_version / 1000) return {};
  return fail(
      ErrorCode::kMachine,
      fmt::format("CUPTI is of CUDA {}, but the driver supports CUDA up to {}: CUPTI is newer than the "
                  "driver.",
                  cupti_version_text(cupti_version), cuda_text(driver_cuda_version)),
      fmt::format("Update the driver, or set GPUPROBE_CUPTI to the CUPTI folder of a CUDA {}.x toolkit. Or "
                  "predict: --source model.",
                  driver_cuda_version / 1000));
}

Status check_profiling_supported(const CuptiApi& api, CUdevice device) {
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, params);
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (auto status = check_cupti(api.ProfilerDeviceSupported(&params), "asking whether it can be profiled");
      !status)
    return status;
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return {};
  const std::pair<CUpti_Profiler_Support_Level, CUptiResult> causes[] = {
      {params.architecture, CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED},
      {params.sli, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED},
      {params.vGpu, params.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED
                        ? CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
                        : CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED},
      {params.confidentialCompute, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED},
      {params.cmp, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED},
      {params.wsl, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED}};
  for (const auto& [level, result] : causes)
    if (level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED && level != CUPTI_PROFILER_CONFIGURATION_UNKNOWN)
      return tl::unexpected(cupti_error(result, "opening the GPU's counters"));
  return tl::unexpected(cupti_error(CUPTI_ERROR_NOT_SUPPORTED, "opening the GPU's counters"));
}

Result<std::string> chip_of(const CuptiApi& api, int ordinal) {
  GPUPROBE_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, params);
  params.deviceIndex = static_cast<std::size_t>(ordinal);
  if (auto status = check_cupti(api.DeviceGetChipName(&params), "asking for the chip's name"); !status)
    return tl::unexpected(status.error());
  std::string chip = params.pChipName ? params.pChipName : "";
  std::transform(chip.begin(), chip.end(), chip.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  auto known = supported_chips(api);
  if (!known) return tl::unexpected(known.error());
  if (std::find(known->begin(), known->end(), chip) == known->end())
    return fail(ErrorCode::kMachine,
                fmt::format("This CUPTI does not know the GPU's chip ({}).", chip.empty() ? "unnamed" : chip),
                "Install a newer CUDA toolkit, or predict: --source model.");
  return chip;
}

Status probe(int ordinal, bool counters) {
  prepare_process();
  auto driver = driver_api();
  if (!driver) return tl::unexpected(driver.error());
  std::future<Result<const CuptiApi*>> cupti;
  if (counters) cupti = std::async(std::launch::async, load_cupti);
  auto device = find_device(**driver, ordinal);
  if (!device) return tl::unexpected(device.error());
  auto spec = device_facts(**driver, *device);
  if (!spec) return tl::unexpected(spec.error());
  if (auto status = check_device(*spec); !status || !counters) return status;
  auto api = cupti.get();
  if (!api) return tl::unexpected(api.error());
  int driver_cuda = 0;
  std::uint32_t cupti_version = 0;
  (*driver)->DriverGetVersion(&driver_cuda);
  (*api)->GetVersion(&cupti_version);
  return check_versions(cupti_version, driver_cuda);
}

Result<std::unique_ptr<Gpu>> Gpu::open(int ordinal, CompileFunction compile) {
  prepare_process();
  auto driver = driver_api();
  if (!driver) return tl::unexpected(driver.error());
  return open(**driver, std::async(std::launch::async, load_cupti), ordinal, std::move(compile));
}

Result<std::unique_ptr<Gpu>> Gpu::open(const DriverApi& driver, std::future<Result<const CuptiApi*>> cupti,
                                       int ordinal, CompileFunction compile) {
  auto context = Context::create(driver, ordinal);
  if (!context) return tl::unexpected(context.error());
  auto spec = device_facts(driver, context->device());
  if (!spec) return tl::unexpected(spec.error());
  if (auto status = check_device(*spec); !status) return tl::unexpected(status.error());
  spdlog::debug("context on {}", spec->name);

  auto api = cupti.get();
  if (!api) return tl::unexpected(api.error());
  int driver_cuda = 0;
  std::uint32_t cupti_version = 0;
  driver.DriverGetVersion(&driver_cuda);
  (*api)->GetVersion(&cupti_version);
  if (auto status = check_versions(cupti_version, driver_cuda); !status)
    return tl::unexpected(status.error());

  std::unique_ptr<Gpu> gpu(new Gpu({&driver, *api}, std::move(*context), std::move(*spec), ordinal));
  gpu->environment_.device = gpu->spec_.name;
  gpu->environment_.arch = gpu->spec_.arch;
  gpu->environment_.driver = driver_version_text();
  gpu->environment_.cuda = cuda_text(driver_cuda);
  gpu->environment_.cupti = cupti_version_text(cupti_version);
  gpu->digest_kernel_ =
      std::async(std::launch::async, [compile = std::move(compile), arch = gpu->spec_.arch] {
        return compile(BufferDigests::kernel(), arch);
      });
  if (auto status = gpu->open_profiler(); !status) return tl::unexpected(status.error());
  return gpu;
}

Result<std::unique_ptr<Gpu>> Gpu::open_without_counters(int ordinal) {
  prepare_process();
  auto driver = driver_api();
  if (!driver) return tl::unexpected(driver.error());
  return open_without_counters(**driver, ordinal);
}

Result<std::unique_ptr<Gpu>> Gpu::open_without_counters(const DriverApi& driver, int ordinal) {
  auto context = Context::create(driver, ordinal);
  if (!context) return tl::unexpected(context.error());
  auto spec = device_facts(driver, context->device());
  if (!spec) return tl::unexpected(spec.error());
  if (auto status = check_device(*spec); !status) return tl::unexpected(status.error());
  int driver_cuda = 0;
  driver.DriverGetVersion(&driver_cuda);
  std::unique_ptr<Gpu> gpu(new Gpu({&driver, nullptr}, std::move(*context), std::move(*spec), ordinal));
  gpu->environment_.device = gpu->spec_.name;
  gpu->environment_.arch = gpu->spec_.arch;
  gpu->environment_.driver = driver_version_text();
  gpu->environment_.cuda = cuda_text(driver_cuda);
  return gpu;
}

Status Gpu::open_profiler() {
  const CuptiApi& api = *apis_.cupti;
  GPUPROBE_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  if (auto status = check_cupti(api.ProfilerInitialize(&initialize), "initialising the profiler"); !status)
    return status;
  if (auto status = check_profiling_supported(api, context_.device()); !status) return status;
  auto chip = chip_of(api, ordinal_);
  if (!chip) return tl::unexpected(chip.error());
  spec_.chip = *chip;
  auto host = ProfilerHost::open(api, *chip);
  if (!host) return tl::unexpected(host.error());
  host_.emplace(std::move(*host));
  counters_ = hardware_counters(*chip, *host_);
  // The schedule takes 20 ms of the CPU alone, while enabling waits for the driver.
  schedule_ =
      std::async(std::launch::async, [this, names = counter_names()] { return host_->config_image(names); });
  auto profiler = RangeProfiler::enable(api, context_.handle());
  if (!profiler) return tl::unexpected(profiler.error());
  profiler_.emplace(std::move(*profiler));
  spdlog::debug("counters of {} open", *chip);
  return {};
}

std::vector<std::string> Gpu::counter_names() const {
  std::vector<std::string> names;
  for (const BoundCounter& counter : counters_) names.push_back(counter.binding->counter);
  return names;
}

Result<const BufferDigests*> Gpu::digests() {
  if (!digests_) {
    const auto compiled = digest_kernel_.get();
    if (!compiled) return tl::unexpected(compiled.error());
    auto loaded = BufferDigests::load(*apis_.driver, *compiled);
    if (!loaded) return tl::unexpected(loaded.error());
    digests_.emplace(std::move(*loaded));
  }
  return &*digests_;
}

void Gpu::lose(std::string why) {
  lost_ = std::move(why);
  if (digests_) digests_->abandon();
  context_.abandon();
  if (profiler_) profiler_->abandon();
}

}  // namespace gpuprobe::cupti
