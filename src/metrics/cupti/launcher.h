// Loads a compiled kernel and launches its steps in order, with dynamic shared memory and clusters, or calls
// the library that a step names, and waits for them no longer than a time limit.
//
//   auto launcher = Launcher::load(driver, kernel, compiled, buffers);
//   launcher->launch();   launcher->wait(60.0);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compiled_kernel.h"
#include "core/kernel.h"
#include "core/result.h"
#include "metrics/cupti/device_buffers.h"
#include "metrics/cupti/driver_api.h"
#include "metrics/cupti/library_call.h"

namespace gpuprobe::cupti {

/// A CUDA event, destroyed with the object.
class Event {
 public:
  static Result<Event> create(const DriverApi& driver);
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  CUevent handle() const { return event_; }
  Status record() const;
  /// Waits until everything before record() is done. Errors: kKernel if that takes longer than `timeout_s`,
  /// or if the kernel failed.
  Status wait(double timeout_s) const;
  /// Seconds on the GPU between two recorded events that are done. Resolution about 0.5 us (CUDA driver API).
  Result<double> seconds_since(const Event& earlier) const;
  void abandon() { event_ = nullptr; }

 private:
  Event(const DriverApi& driver, CUevent event) : driver_(&driver), event_(event) {}

  const DriverApi* driver_;
  CUevent event_ = nullptr;
};

class Launcher {
 public:
  /// Errors: kKernel if an argument does not fit the kernel's parameters, kMachine if the driver cannot load
  /// it or a library that it calls is not there.
  static Result<Launcher> load(const DriverApi& driver, const Kernel& kernel, const CompiledKernel& compiled,
                               const DeviceBuffers& buffers);
  Launcher(Launcher&& other) noexcept;
  Launcher& operator=(Launcher&&) = delete;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher();

  /// Launches that one run makes.
  std::size_t launches() const { return prepared_.size(); }
  /// Queues all steps on the default stream. Errors: kKernel if a launch is refused.
  Status launch();
  /// launch(), then waits for it at most `timeout_s`.
  Status run(double timeout_s);
  /// The library that a step calls, with its version; empty if none does.
  std::string library() const;
  /// Blocks of step `step` that the driver lets reside on one SM. Errors: kMachine, also for a library call.
  Result<int> blocks_per_sm(std::size_t step) const;
  /// True if the GPU still takes work and has none left to do: after a fault, or while a kernel still runs,
  /// it is not.
  bool idle() const;
  /// After a time-out nothing of the kernel may be freed, for that waits for the kernel.
  void abandon();

 private:
  struct Prepared {
    std::optional<LibraryCall> call;  ///< in place of all the rest
    CUfunction function = nullptr;
    std::vector<std::vector<std::uint8_t>> values;  ///< object representation of each argument
    std::vector<void*> pointers;                    ///< to the values, as cuLaunchKernelEx takes them
  };

  Launcher(const DriverApi& driver, const Kernel& kernel, CUmodule module, Event done)
      : driver_(&driver), kernel_(&kernel), module_(module), done_(std::move(done)) {}

  Status prepare(const Step& step, const CompiledKernel& compiled, const DeviceBuffers& buffers);
  Status prepare_call(const Step& step, const DeviceBuffers& buffers);
  Status launch_step(const Step& step, Prepared& prepared) const;

  const DriverApi* driver_;
  const Kernel* kernel_;
  CUmodule module_ = nullptr;
  Event done_;
  std::vector<Prepared> prepared_;
};

}  // namespace gpuprobe::cupti
