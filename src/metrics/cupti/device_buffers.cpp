#include "metrics/cupti/device_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "metrics/cupti/driver_error.h"

namespace gpuprobe::cupti {
Result<DeviceMemory> DeviceMemory::allocate(const DriverApi& driver, std::uint64_t bytes,
                                            std::string_view what) {
  CUdeviceptr address = 0;
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);  // an empty buffer still has an address
  if (auto status = check_driver(driver.MemAlloc(&address, size),
                                 fmt::format("allocating {} bytes for {}", size, what));
      !status)
    return tl::unexpected(status.error());
  return DeviceMemory(driver, address);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : driver_(other.driver_), address_(std::exchange(other.address_, 0)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(address_, other.address_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (address_) driver_->MemFree(address_);
}

Result<DeviceBuffers> DeviceBuffers::allocate(const DriverApi& driver, const Kernel& kernel) {
  DeviceBuffers buffers(driver, kernel);
  for (const Buffer& buffer : kernel.buffers) {
    auto memory = DeviceMemory::allocate(driver, buffer.bytes(), "buffer '" + buffer.name + "'");
    if (!memory) return tl::unexpected(memory.error());
    buffers.memory_.push_back(std::move(*memory));
  }
  return buffers;
}

Status DeviceBuffers::upload(const HostBuffers& host) {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const auto bytes = host.bytes(i);
    if (bytes.empty()) continue;
    const CUresult result = kernel_->buffers[i].init.kind == BufferInit::Kind::kZeros
                                ? driver_->MemsetD8Async(address(i), 0, bytes.size(), nullptr)
                                : driver_->MemcpyHtoD(address(i), bytes.data(), bytes.size());
    if (auto status = check_driver(result, "filling buffer '" + kernel_->buffers[i].name + "'"); !status)
      return status;
  }
  return {};
}

Status DeviceBuffers::download(HostBuffers& host, const std::vector<std::size_t>& which) const {
  for (const std::size_t i : which) {
    const auto bytes = host.bytes(i);
    if (bytes.empty()) continue;
    if (auto status = check_driver(driver_->MemcpyDtoH(bytes.data(), address(i), bytes.size()),
                                   "reading buffer '" + kernel_->buffers[i].name + "' back");
        !status)
      return status;
  }
  return {};
}

Status DeviceBuffers::keep_pristine(const HostBuffers& initial, const std::vector<std::size_t>& which) {
  pristine_.clear();
  for (const std::size_t i : which) {
    Pristine entry{i, {}};
    const auto bytes = initial.bytes(i);
    if (kernel_->buffers[i].init.kind != BufferInit::Kind::kZeros) {
      auto copy = DeviceMemory::allocate(*driver_, bytes.size(),
                                         "the initial contents of buffer '" + kernel_->buffers[i].name + "'");
      if (!copy) return tl::unexpected(copy.error());
      if (auto status = check_driver(driver_->MemcpyHtoD(copy->address(), bytes.data(), bytes.size()),
                                     "keeping the initial contents of a buffer");
          !status)
        return status;
      entry.copy.push_back(std::move(*copy));
    }
    pristine_.push_back(std::move(entry));
  }
  return {};
}

Status DeviceBuffers::restore() const {
  for (const Pristine& entry : pristine_) {
    const std::uint64_t bytes = kernel_->buffers[entry.buffer].bytes();
    if (bytes == 0) continue;
    const CUresult result =
        entry.copy.empty()
            ? driver_->MemsetD8Async(address(entry.buffer), 0, bytes, nullptr)
            : driver_->MemcpyDtoDAsync(address(entry.buffer), entry.copy.front().address(), bytes, nullptr);
    if (auto status = check_driver(result, "putting back the initial contents of a buffer"); !status)
      return status;
  }
  return {};
}

void DeviceBuffers::abandon() {
  for (DeviceMemory& memory : memory_) memory.abandon();
  for (Pristine& entry : pristine_)
    for (DeviceMemory& memory : entry.copy) memory.abandon();
}

}  // namespace gpuprobe::cupti
