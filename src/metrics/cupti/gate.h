// Holds the GPU back while the work to be timed is queued behind it, so that the time between two events is
// that of the kernel and not of the host's calls: without it a 3 us kernel reads as 9 us (H200).
//
//   auto gate = Gate::create(driver);
//   gate->close();   begin.record(); launch(); end.record();   gate->open();
#pragma once

#include <cstdint>

#include "core/result.h"
#include "metrics/cupti/driver_api.h"

namespace gpuprobe::cupti {

class Gate {
 public:
  /// Errors: kMachine if the driver cannot share host memory.
  static Result<Gate> create(const DriverApi& driver);
  Gate(Gate&& other) noexcept;
  Gate& operator=(Gate&&) = delete;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();

  /// From here on, work that is queued on the default stream waits for open(). Does nothing where the GPU
  /// cannot wait for a value. Queue no more than kMaxQueued launches: the queue fills up, and the host would
  /// wait, too.
  void close();
  /// Lets the GPU go on. Must follow close() on every path.
  void open();
  /// Never free the memory: freeing waits for the kernel, which may not end.
  void abandon() { value_ = nullptr; }

  static constexpr std::size_t kMaxQueued = 64;

 private:
  Gate(const DriverApi& driver, volatile std::uint32_t* value) : driver_(&driver), value_(value) {}

  const DriverApi* driver_;
  volatile std::uint32_t* value_ = nullptr;  ///< page-locked, read by the GPU
  std::uint32_t round_ = 0;
};

}  // namespace gpuprobe::cupti
