// Tells which buffers on the GPU a run has changed, and whether a second run gave the same, without reading
// them back: a kernel of our own makes a digest of each. Reading back 128 MiB takes 15 ms, their digests 0.1
// ms (H200).
//
//   auto digests = BufferDigests::load(driver, *compile(BufferDigests::kernel(), "sm_90"));
//   auto before = digests->of(buffers, count);   run();   auto after = digests->of(buffers, count);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/compiled_kernel.h"
#include "core/kernel.h"
#include "core/result.h"
#include "metrics/cupti/device_buffers.h"
#include "metrics/cupti/driver_api.h"

namespace gpuprobe::cupti {

class BufferDigests {
 public:
  /// The kernel to compile for load(). Its buffers and launch are those of a digest of `bytes` bytes.
  static Kernel kernel(std::uint64_t bytes = 0);
  /// Loads what kernel() was compiled to into the current context. Errors: kMachine.
  static Result<BufferDigests> load(const DriverApi& driver, const CompiledKernel& compiled);
  BufferDigests(BufferDigests&& other) noexcept;
  BufferDigests& operator=(BufferDigests&&) = delete;
  BufferDigests(const BufferDigests&) = delete;
  BufferDigests& operator=(const BufferDigests&) = delete;
  ~BufferDigests();

  /// A digest for each buffer of `kernel`, after everything that was queued on the default stream. Contents
  /// that differ have the same digest with a probability of 2^-64. Errors: kMachine, or those of a kernel
  /// before.
  Result<std::vector<std::uint64_t>> of(const DeviceBuffers& buffers, const Kernel& kernel) const;
  /// Never unload it: unloading waits for kernels, which may not end.
  void abandon() { module_ = nullptr; }

 private:
  BufferDigests(const DriverApi& driver, CUmodule module) : driver_(&driver), module_(module) {}

  const DriverApi* driver_;
  CUmodule module_;
  CUfunction function_ = nullptr;
};

/// Indices at which the digests differ.
std::vector<std::size_t> differing(const std::vector<std::uint64_t>& before,
                                   const std::vector<std::uint64_t>& after);

/// Bytes of `buffer` on the device that differ from `expected`, by reading it back.
Result<std::uint64_t> count_differences(const DriverApi& driver, CUdeviceptr buffer,
                                        std::span<const std::byte> expected);

}  // namespace gpuprobe::cupti
