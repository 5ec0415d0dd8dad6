// A CUDA context of gpuprobe's own on one device.
//
//   auto context = Context::create(driver, 0);
#pragma once

#include "core/result.h"
#include "metrics/cupti/driver_api.h"

namespace gpuprobe::cupti {

/// Initialises the driver and finds device `ordinal`. Errors (kMachine): no device, no device of that number.
Result<CUdevice> find_device(const DriverApi& driver, int ordinal);

class Context {
 public:
  /// Creates a context on device `ordinal`, current in this thread. Errors (kMachine): as find_device, and
  /// device not available.
  static Result<Context> create(const DriverApi& driver, int ordinal);

  Context(Context&& other) noexcept;
  Context& operator=(Context&& other) noexcept;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  CUcontext handle() const { return context_; }
  CUdevice device() const { return device_; }
  /// Never destroy this context: a kernel that does not end would hold the destructor up for ever. The system
  /// takes everything back when the process ends (measured: exit takes no longer with a kernel still
  /// running).
  void abandon() { context_ = nullptr; }

 private:
  Context(const DriverApi& driver, CUdevice device, CUcontext context)
      : driver_(&driver), device_(device), context_(context) {}

  const DriverApi* driver_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
};

}  // namespace gpuprobe::cupti
