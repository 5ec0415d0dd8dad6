#include "metrics/cupti/launcher.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "metrics/cupti/driver_error.h"

namespace gpuprobe::cupti {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kSpin = std::chrono::milliseconds(2);  ///< poll without a pause while a short kernel may end
constexpr auto kPause = std::chrono::microseconds(100);  ///< pause between polls after that
constexpr double kGraceSeconds = 0.2;  ///< for an event behind work that has a right to be done
constexpr std::uint32_t kSharedWithoutOptIn =
    48 * 1024;                                 ///< CUDA C++ Programming Guide, compute capabilities
constexpr std::uint64_t kPortableCluster = 8;  ///< blocks; larger ones need an attribute

std::vector<std::uint8_t> value_of(const Argument& argument, const DeviceBuffers& buffers) {
  if (const auto* scalar = std::get_if<Scalar>(&argument)) return scalar->bits;
  const auto& reference = std::get<BufferRef>(argument);
  const CUdeviceptr address = buffers.address(reference.buffer) + reference.byte_offset;
  std::vector<std::uint8_t> bytes(sizeof address);
  std::memcpy(bytes.data(), &address, sizeof address);
  return bytes;
}

}  // namespace

Result<Event> Event::create(const DriverApi& driver) {
  CUevent event = nullptr;
  if (auto status = check_driver(driver.EventCreate(&event, CU_EVENT_DEFAULT), "creating an event"); !status)
    return tl::unexpected(status.error());
  return Event(driver, event);
}

Event::Event(Event&& other) noexcept : driver_(other.driver_), event_(std::exchange(other.event_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(event_, other.event_);
  return *this;
}

Event::~Event() {
  if (event_) driver_->EventDestroy(event_);
}

Status Event::record() const {
  return check_driver(driver_->EventRecord(event_, nullptr), "recording an event");
}

Status Event::wait(double timeout_s) const {
  const auto start = Clock::now();
  const auto deadline =
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
  for (;;) {
    const CUresult result = driver_->EventQuery(event_);
    if (result != CUDA_ERROR_NOT_READY) return check_driver(result, "running the kernel");
    const auto now = Clock::now();
    if (now >= deadline)
      return fail(
          ErrorCode::kKernel, fmt::format("The kernel did not end within {:g} s.", timeout_s),
          "It may wait for something that never comes (a block that waits for another, a missing barrier). "
          "Raise the limit with --timeout, choose a smaller size, or predict it: --source model.");
    if (now - start > kSpin) std::this_thread::sleep_for(kPause);
  }
}

Result<double> Event::seconds_since(const Event& earlier) const {
  float milliseconds = 0;
  if (auto status =
          check_driver(driver_->EventElapsedTime(&milliseconds, earlier.event_, event_), "timing the kernel");
      !status)
    return tl::unexpected(status.error());
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<Launcher> Launcher::load(const DriverApi& driver, const Kernel& kernel, const CompiledKernel& compiled,
                                const DeviceBuffers& buffers) {
  auto done = Event::create(driver);
  if (!done) return tl::unexpected(done.error());
  CUmodule module = nullptr;
  if (!kernel.entries().empty())
    if (auto status = check_driver(driver.ModuleLoadData(&module, compiled.cubin.data()),
                                   fmt::format("loading the kernel (compiled for {})", compiled.arch));
        !status)
      return tl::unexpected(status.error());
  Launcher launcher(driver, kernel, module, std::move(*done));
  for (const Step& step : kernel.steps)
    if (auto status = launcher.prepare(step, compiled, buffers); !status)
      return tl::unexpected(status.error());
  return launcher;
}

Launcher::Launcher(Launcher&& other) noexcept
    : driver_(other.driver_),
      kernel_(other.kernel_),
      module_(std::exchange(other.module_, nullptr)),
      done_(std::move(other.done_)),
      prepared_(std::move(other.prepared_)) {}

Launcher::~Launcher() {
  if (module_) driver_->ModuleUnload(module_);
}

Status Launcher::prepare_call(const Step& step, const DeviceBuffers& buffers) {
  const auto cublas = cublas_api();
  if (!cublas) return tl::unexpected(cublas.error());
  auto call = LibraryCall::bind(**cublas, step, buffers);
  if (!call) return tl::unexpected(call.error());
  Prepared prepared;
  prepared.call.emplace(std::move(*call));
  prepared_.push_back(std::move(prepared));
  return {};
}

Status Launcher::prepare(const Step& step, const CompiledKernel& compiled, const DeviceBuffers& buffers) {
  if (step.is_library_call()) return prepare_call(step, buffers);
  const FunctionResources* resources = compiled.find(step.entry);
  if (!resources)
    return fail(ErrorCode::kKernel, fmt::format("The compiled module has no kernel '{}'.", step.entry),
                "Check the kernel's name; `gpuprobe source` prints what was compiled.");
  Prepared prepared;
  if (auto status = check_driver(
          driver_->ModuleGetFunction(&prepared.function, module_, resources->lowered_name.c_str()),
          "looking up " + step.entry);
      !status)
    return status;
  if (resources->parameter_bytes.size() != step.args.size())
    return fail(ErrorCode::kKernel,
                fmt::format("Kernel '{}' takes {} parameters, but {} arguments are given.", step.entry,
                            resources->parameter_bytes.size(), step.args.size()),
                "Give one argument for each parameter, in order.");
  for (std::size_t i = 0; i < step.args.size(); ++i) {
    prepared.values.push_back(value_of(step.args[i], buffers));
    if (prepared.values.back().size() != resources->parameter_bytes[i])
      return fail(ErrorCode::kKernel,
                  fmt::format("Argument {} of kernel '{}' has {} bytes, its parameter {}.", i + 1, step.entry,
                              prepared.values.back().size(), resources->parameter_bytes[i]),
                  "Give the argument the type of the kernel's parameter.");
  }
  for (auto& value : prepared.values) prepared.pointers.push_back(value.data());
  if (resources->shared_static + step.launch.dynamic_shared > kSharedWithoutOptIn) {
    if (auto status = check_driver(
            driver_->FuncSetAttribute(prepared.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      static_cast<int>(step.launch.dynamic_shared)),
            fmt::format("asking for {} bytes of dynamic shared memory", step.launch.dynamic_shared));
        !status)
      return status;
  }
  if (step.launch.cluster.count() > kPortableCluster) {
    if (auto status =
            check_driver(driver_->FuncSetAttribute(prepared.function,
                                                   CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                         "allowing a cluster of more than 8 blocks");
        !status)
      return status;
  }
  prepared_.push_back(std::move(prepared));
  return {};
}

Status Launcher::launch_step(const Step& step, Prepared& prepared) const {
  if (prepared.call) return prepared.call->queue();
  CUlaunchConfig config;
  std::memset(&config, 0, sizeof config);
  config.gridDimX = step.launch.grid.x;
  config.gridDimY = step.launch.grid.y;
  config.gridDimZ = step.launch.grid.z;
  config.blockDimX = step.launch.block.x;
  config.blockDimY = step.launch.block.y;
  config.blockDimZ = step.launch.block.z;
  config.sharedMemBytes = step.launch.dynamic_shared;
  CUlaunchAttribute cluster;
  std::memset(&cluster, 0, sizeof cluster);
  if (step.launch.cluster.count() > 1) {
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = step.launch.cluster.x;
    cluster.value.clusterDim.y = step.launch.cluster.y;
    cluster.value.clusterDim.z = step.launch.cluster.z;
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  return check_driver(
      driver_->LaunchKernelEx(&config, prepared.function, prepared.pointers.data(), nullptr),
      fmt::format("launching {} (grid {}x{}x{}, block {}x{}x{}, {} bytes of dynamic shared memory)",
                  step.entry, step.launch.grid.x, step.launch.grid.y, step.launch.grid.z, step.launch.block.x,
                  step.launch.block.y, step.launch.block.z, step.launch.dynamic_shared));
}

Status Launcher::launch() {
  for (std::size_t i = 0; i < prepared_.size(); ++i)
    if (auto status = launch_step(kernel_->steps[i], prepared_[i]); !status) return status;
  return {};
}

Status Launcher::run(double timeout_s) {
  if (auto status = launch(); !status) return status;
  if (auto status = done_.record(); !status) return status;
  return done_.wait(timeout_s);
}

std::string Launcher::library() const {
  for (const Prepared& prepared : prepared_)
    if (prepared.call) return prepared.call->version();
  return "";
}

Result<int> Launcher::blocks_per_sm(std::size_t step) const {
  if (prepared_[step].call)
    return fail(ErrorCode::kMachine, "the library chooses its kernels and their launches", "");
  const Launch& launch = kernel_->steps[step].launch;
  int blocks = 0;
  if (auto status = check_driver(driver_->OccupancyMaxActiveBlocksPerMultiprocessor(
                                     &blocks, prepared_[step].function,
                                     static_cast<int>(launch.block.count()), launch.dynamic_shared),
                                 "asking the driver for the occupancy");
      !status)
    return tl::unexpected(status.error());
  return blocks;
}

bool Launcher::idle() const {
  // An idle GPU completes an event within microseconds; a running kernel or a fault never does.
  return done_.record().has_value() && done_.wait(kGraceSeconds).has_value();
}

void Launcher::abandon() {
  for (Prepared& prepared : prepared_)
    if (prepared.call) prepared.call->abandon();
  module_ = nullptr;
  done_.abandon();
}

}  // namespace gpuprobe::cupti
