#include "metrics/cupti/context.h"

#include <fmt/format.h>

#include <utility>

#include "metrics/cupti/driver_error.h"

namespace gpuprobe::cupti {

Result<CUdevice> find_device(const DriverApi& driver, int ordinal) {
  if (auto status = check_driver(driver.Init(0), "initialising the driver"); !status)
    return tl::unexpected(status.error());
  int count = 0;
  if (auto status = check_driver(driver.DeviceGetCount(&count), "counting devices"); !status)
    return tl::unexpected(status.error());
  if (count == 0) return tl::unexpected(driver_error(CUDA_ERROR_NO_DEVICE, "counting devices"));
  if (ordinal < 0 || ordinal >= count)
    return fail(ErrorCode::kMachine,
                fmt::format("There is no device {}: the driver sees {} device{}.", ordinal, count,
                            count == 1 ? "" : "s"),
                fmt::format("Choose --device 0{}.", count == 1 ? "" : fmt::format(" to {}", count - 1)));
  CUdevice device = 0;
  if (auto status = check_driver(driver.DeviceGet(&device, ordinal), "opening the device"); !status)
    return tl::unexpected(status.error());
  return device;
}

Result<Context> Context::create(const DriverApi& driver, int ordinal) {
  auto device = find_device(driver, ordinal);
  if (!device) return tl::unexpected(device.error());
  CUcontext context = nullptr;
  if (auto status =
          check_driver(driver.CtxCreate(&context, CU_CTX_SCHED_AUTO, *device), "creating a context");
      !status)
    return tl::unexpected(status.error());
  return Context(driver, *device, context);
}

Context::Context(Context&& other) noexcept
    : driver_(other.driver_), device_(other.device_), context_(std::exchange(other.context_, nullptr)) {}

Context& Context::operator=(Context&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(device_, other.device_);
  std::swap(context_, other.context_);
  return *this;
}

Context::~Context() {
  if (context_) driver_->CtxDestroy(context_);
}

}  // namespace gpuprobe::cupti
