#include "metrics/cupti/cupti_source.h"

#include <utility>

#include "metrics/cupti/cupti_api.h"
#include "metrics/cupti/driver_error.h"
#include "metrics/cupti/gpu.h"
#include "metrics/cupti/measurement.h"

namespace gpuprobe {
namespace {

class MeasuringSource : public CounterSource {
 public:
  explicit MeasuringSource(std::unique_ptr<cupti::Gpu> gpu) : gpu_(std::move(gpu)) {}

  const DeviceSpec& device() const override { return gpu_->spec(); }
  Result<Run> collect(const Kernel& kernel, const CompiledKernel& compiled,
                      const CollectOptions& options) override {
    return cupti::measure(*gpu_, kernel, compiled, options);
  }
  Result<HostBuffers> execute(const Kernel& kernel, const CompiledKernel& compiled,
                              const CollectOptions& options) override {
    return cupti::run_plainly(*gpu_, kernel, compiled, options);
  }

 private:
  std::unique_ptr<cupti::Gpu> gpu_;
};

}  // namespace

Result<std::string> CuptiSource::library_path() {
  auto api = cupti::cupti_api();
  if (!api) return tl::unexpected(api.error());
  return cupti::cupti_path();
}

Result<std::unique_ptr<CounterSource>> CuptiSource::open(int ordinal, CompileFunction compile) {
  auto gpu = cupti::Gpu::open(ordinal, std::move(compile));
  if (!gpu) return tl::unexpected(gpu.error());
  return std::make_unique<MeasuringSource>(std::move(*gpu));
}

Result<std::unique_ptr<CounterSource>> CuptiSource::open_without_counters(int ordinal) {
  auto gpu = cupti::Gpu::open_without_counters(ordinal);
  if (!gpu) return tl::unexpected(gpu.error());
  return std::make_unique<MeasuringSource>(std::move(*gpu));
}

Status CuptiSource::probe(int ordinal, bool counters) {
  return cupti::probe(ordinal, counters);
}

}  // namespace gpuprobe
