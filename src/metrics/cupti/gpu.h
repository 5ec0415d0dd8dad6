// A GPU that is ready for measuring: driver, context, CUPTI, the chip's counters scheduled.
//
//   Result<std::unique_ptr<Gpu>> gpu = Gpu::open(0, compile);
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/counter_source.h"
#include "core/device_spec.h"
#include "core/result.h"
#include "core/run.h"
#include "metrics/cupti/buffer_comparison.h"
#include "metrics/cupti/context.h"
#include "metrics/cupti/cupti_api.h"
#include "metrics/cupti/driver_api.h"
#include "metrics/cupti/hardware_counters.h"
#include "metrics/cupti/profiler_host.h"
#include "metrics/cupti/range_profiler.h"

namespace gpuprobe::cupti {

/// The tables that Gpu works with; tests make their own.
struct Apis {
  const DriverApi* driver;
  const CuptiApi* cupti;  ///< nullptr if counters are not wanted
};

/// Checks that need no CUPTI: a device of that number, compute capability 7.5 or later, not a MIG slice.
Status check_device(const DeviceSpec& spec);
/// Errors if `cupti_version` (cuptiGetVersion) belongs to a newer major CUDA version than the driver's.
Status check_versions(std::uint32_t cupti_version, int driver_cuda_version);
/// Errors, each with its own cause, if CUPTI says that the device cannot be profiled.
Status check_profiling_supported(const CuptiApi& api, CUdevice device);
/// CUPTI's name of the chip of device `ordinal`, in lower case. Errors (kMachine): not known to this CUPTI;
/// it is never taken for another.
Result<std::string> chip_of(const CuptiApi& api, int ordinal);

/// Why device `ordinal` cannot be measured on, or success, without opening a context or a profiler. Without
/// `counters` CUPTI is neither loaded nor asked.
Status probe(int ordinal, bool counters = true);

class Gpu {
 public:
  /// `compile` makes the kernel of digests() while the counters are opened.
  static Result<std::unique_ptr<Gpu>> open(int ordinal, CompileFunction compile);
  /// The same with given tables; `cupti` may be a pending load, so that it overlaps with the driver's.
  static Result<std::unique_ptr<Gpu>> open(const DriverApi& driver,
                                           std::future<Result<const CuptiApi*>> cupti, int ordinal,
                                           CompileFunction compile);
  /// A GPU on which kernels can be run and timed only: CUPTI is not loaded, so that another profiler may
  /// watch.
  static Result<std::unique_ptr<Gpu>> open_without_counters(int ordinal);
  static Result<std::unique_ptr<Gpu>> open_without_counters(const DriverApi& driver, int ordinal);

  const Apis& apis() const { return apis_; }
  /// False after open_without_counters(): host(), profiler(), counters() and digests() must not be used.
  bool has_counters() const { return apis_.cupti != nullptr; }
  Context& context() { return context_; }
  int ordinal() const { return ordinal_; }
  const DeviceSpec& spec() const { return spec_; }
  const Environment& environment() const { return environment_; }
  const ProfilerHost& host() const { return *host_; }
  RangeProfiler& profiler() { return *profiler_; }
  const std::vector<BoundCounter>& counters() const { return counters_; }
  std::vector<std::string> counter_names() const;
  /// The schedule of counter_names().
  Result<ConfigImage> schedule() { return schedule_.valid() ? *(scheduled_ = schedule_.get()) : *scheduled_; }

  /// Compares buffers on this GPU. Errors: those of `compile`; kMachine if the driver cannot load it.
  Result<const BufferDigests*> digests();

  /// Why the GPU cannot be used any more; nullopt while it can.
  const std::optional<std::string>& lost() const { return lost_; }
  /// After a kernel that faulted or does not end: CUDA refuses every later call of this process, or would
  /// wait.
  void lose(std::string why);

 private:
  Gpu(Apis apis, Context context, DeviceSpec spec, int ordinal)
      : apis_(apis), context_(std::move(context)), spec_(std::move(spec)), ordinal_(ordinal) {}

  Status open_profiler();

  Apis apis_;
  Context context_;
  DeviceSpec spec_;
  int ordinal_;
  Environment environment_;
  std::optional<ProfilerHost> host_;
  std::vector<BoundCounter> counters_;
  std::future<Result<ConfigImage>> schedule_;
  std::optional<Result<ConfigImage>> scheduled_;
  std::optional<RangeProfiler> profiler_;
  std::future<Result<CompiledKernel>> digest_kernel_;
  std::optional<BufferDigests> digests_;
  std::optional<std::string> lost_;
};

}  // namespace gpuprobe::cupti
