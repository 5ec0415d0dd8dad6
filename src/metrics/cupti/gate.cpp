#include "metrics/cupti/gate.h"

#include <atomic>
#include <utility>

#include "metrics/cupti/driver_error.h"

namespace gpuprobe::cupti {

Result<Gate> Gate::create(const DriverApi& driver) {
  void* memory = nullptr;
  if (auto status =
          check_driver(driver.MemHostAlloc(&memory, sizeof(std::uint32_t), CU_MEMHOSTALLOC_DEVICEMAP),
                       "sharing memory with the GPU");
      !status)
    return tl::unexpected(status.error());
  auto* value = static_cast<std::uint32_t*>(memory);
  *value = 0;
  return Gate(driver, value);
}

Gate::Gate(Gate&& other) noexcept
    : driver_(other.driver_), value_(std::exchange(other.value_, nullptr)), round_(other.round_) {}

Gate::~Gate() {
  if (value_) driver_->MemFreeHost(const_cast<std::uint32_t*>(value_));
}

void Gate::close() {
  ++round_;
  // With unified addressing the device's address of page-locked memory is the host's (every 64-bit Linux
  // system).
  const auto address = reinterpret_cast<CUdeviceptr>(const_cast<std::uint32_t*>(value_));
  driver_->StreamWaitValue32(nullptr, address, round_, CU_STREAM_WAIT_VALUE_GEQ);
}

void Gate::open() {
  *value_ = round_;
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace gpuprobe::cupti
