// What is needed to measure launches on one device of a program: its facts, the chip's counters, their
// schedule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/device_spec.h"
#include "core/result.h"
#include "core/run.h"
#include "metrics/cupti/gpu.h"

namespace gpuprobe::cupti {

class DeviceCounters {
 public:
  /// `ordinal` is a device of this process. Errors: as Gpu::open, but for the context, which is the
  /// program's.
  static Result<DeviceCounters> open(const Apis& apis, int ordinal);

  const DeviceSpec& spec() const { return spec_; }
  const Environment& environment() const { return environment_; }
  const ConfigImage& schedule() const { return schedule_; }
  /// The names that the schedule is for.
  const std::vector<std::string>& names() const { return names_; }
  /// Sets the values of collected counter data, time.duration among them, in `counters`.
  Status evaluate(const std::vector<std::uint8_t>& data, Counters& counters) const;

 private:
  DeviceCounters(DeviceSpec spec, ProfilerHost host) : spec_(std::move(spec)), host_(std::move(host)) {}

  DeviceSpec spec_;
  Environment environment_;
  ProfilerHost host_;
  std::vector<BoundCounter> bound_;
  std::vector<std::string> names_;
  ConfigImage schedule_;
};

}  // namespace gpuprobe::cupti
