// The kernel's buffers on the GPU: filled from their host image, read back, and put back to their initial
// contents before every run, so that each replay of the kernel does the same work.
//
//   auto buffers = DeviceBuffers::allocate(driver, kernel);
//   buffers->upload(initial);   run();   buffers->download(result);
//   buffers->keep_pristine(initial, changed);   buffers->restore();   run();
#pragma once

#include <cstdint>
#include <vector>

#include "core/buffers.h"
#include "core/kernel.h"
#include "core/result.h"
#include "metrics/cupti/driver_api.h"

namespace gpuprobe::cupti {

/// One allocation on the device, freed with the object.
class DeviceMemory {
 public:
  static Result<DeviceMemory> allocate(const DriverApi& driver, std::uint64_t bytes, std::string_view what);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  CUdeviceptr address() const { return address_; }
  /// Never free it: freeing waits for the kernel, which may not end.
  void abandon() { address_ = 0; }

 private:
  DeviceMemory(const DriverApi& driver, CUdeviceptr address) : driver_(&driver), address_(address) {}

  const DriverApi* driver_;
  CUdeviceptr address_ = 0;
};

class DeviceBuffers {
 public:
  /// Errors: kMachine if the GPU's memory does not suffice.
  static Result<DeviceBuffers> allocate(const DriverApi& driver, const Kernel& kernel);

  CUdeviceptr address(std::size_t buffer) const { return memory_[buffer].address(); }
  Status upload(const HostBuffers& host);
  /// Reads `which` buffers into `host`, which must have their sizes.
  Status download(HostBuffers& host, const std::vector<std::size_t>& which) const;
  /// From now on, restore() puts the buffers `which` back to `initial`: those that start as zeros by
  /// clearing, the others from a second copy on the device.
  Status keep_pristine(const HostBuffers& initial, const std::vector<std::size_t>& which);
  /// Queued on the default stream, so that what is launched next sees the initial contents.
  Status restore() const;
  void abandon();

 private:
  struct Pristine {
    std::size_t buffer;
    std::vector<DeviceMemory> copy;  ///< none: the buffer starts as zeros
  };

  DeviceBuffers(const DriverApi& driver, const Kernel& kernel) : driver_(&driver), kernel_(&kernel) {}

  const DriverApi* driver_;
  const Kernel* kernel_;
  std::vector<DeviceMemory> memory_;
  std::vector<Pristine> pristine_;
};

}  // namespace gpuprobe::cupti
