// What all workers of a launch share, and what each has of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "model/simt/program_image.h"

namespace gpuprobe::simt {

/// One worker thread's own: where it reports, and which allocation an instruction touched last.
struct Worker {
  Observer* observer = nullptr;
  std::vector<const DeviceMemory::Allocation*> recent;  ///< per static instruction
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
  std::uint64_t blocks = 0;
};

struct LaunchState {
  const ProgramImage& image;
  DeviceMemory& memory;
  const Execution& execution;
  std::chrono::steady_clock::time_point deadline;
  std::vector<std::uint8_t> parameters;  ///< padded, so that a 16-byte read inside the last word is in bounds
  std::uint32_t shared_bytes = 0;        ///< static + dynamic
  std::uint32_t warps_per_block = 1;

  std::atomic<bool> cancelled{false};
  std::atomic<bool> timed_out{false};
  std::atomic<bool> faulted{false};

  /// Adds a hazard, or counts one more of the same kind at the same places.
  void add_hazard(Hazard hazard);
  /// Keeps the first error and stops all workers.
  void set_error(Error error);
  /// True when the launch is to end: cancelled, or out of time.
  bool expired();

  std::mutex mutex;
  std::vector<Hazard> hazards;
  std::optional<Error> error;
};

/// "transpose.cu:21", or "PTX line 80 of f" where there is no source line.
std::string place(const InstructionInfo& info);
/// "(1,2,0)"
std::string to_text(const Dim3& dim);

}  // namespace gpuprobe::simt
