#include "model/predicted_source.h"

#include "model/prediction/prediction.h"

namespace gpuprobe {
namespace {

/// A prediction executes PTX, and a library ships none that could be executed.
Status can_predict(const Kernel& kernel) {
  const Step* call = kernel.library_call();
  if (!call) return {};
  return fail(ErrorCode::kMachine,
              call->entry +
                  " cannot be predicted: a prediction executes a kernel's own PTX, and the library "
                  "chooses among kernels of which it ships machine code.",
              "Measure it on a machine with an NVIDIA GPU (--source gpu), or choose a variant that gpuprobe "
              "compiles.");
}

}  // namespace

Result<Run> PredictedSource::collect(const Kernel& kernel, const CompiledKernel& compiled,
                                     const CollectOptions& options) {
  if (Status possible = can_predict(kernel); !possible) return tl::unexpected(possible.error());
  return prediction::Prediction(device_, kernel, compiled, options).run();
}

Result<HostBuffers> PredictedSource::execute(const Kernel& kernel, const CompiledKernel& compiled,
                                             const CollectOptions& options) {
  if (Status possible = can_predict(kernel); !possible) return tl::unexpected(possible.error());
  if (Status possible = can_predict(kernel); !possible) return tl::unexpected(possible.error());
  return prediction::Prediction(device_, kernel, compiled, options).results();
}

}  // namespace gpuprobe
