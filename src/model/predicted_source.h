// Predicts a run on a machine without a GPU: executes the kernel's own PTX and feeds every memory
// instruction's lane addresses to the coalescing and bank models.
//
//   PredictedSource source(*device_for_arch("sm_90"));
//   Result<Run> run = source.collect(kernel, compiled, options);
#pragma once

#include "core/counter_source.h"

namespace gpuprobe {

class PredictedSource final : public CounterSource {
 public:
  explicit PredictedSource(DeviceSpec device) : device_(std::move(device)) {}
  const DeviceSpec& device() const override { return device_; }
  Result<Run> collect(const Kernel& kernel, const CompiledKernel& compiled,
                      const CollectOptions& options) override;
  Result<HostBuffers> execute(const Kernel& kernel, const CompiledKernel& compiled,
                              const CollectOptions& options) override;

 private:
  DeviceSpec device_;
};

}  // namespace gpuprobe
