#include "model/predicted_source.h"

#include "model/prediction/prediction.h"

namespace gpuprobe {

Result<Run> PredictedSource::collect(const Kernel& kernel, const CompiledKernel& compiled,
                                     const CollectOptions& options) {
  return prediction::Prediction(device_, kernel, compiled, options).run();
}

Result<HostBuffers> PredictedSource::execute(const Kernel& kernel, const CompiledKernel& compiled,
                                             const CollectOptions& options) {
  return prediction::Prediction(device_, kernel, compiled, options).results();
}

}  // namespace gpuprobe
