// Runs a kernel through the whole road of a prediction: compiled by NVRTC, executed by the model.
#pragma once

#include <string>
#include <vector>

#include "compile/compiler.h"
#include "core/kernel.h"
#include "core/run.h"
#include "model/devices/devices.h"
#include "model/predicted_source.h"
#include "unit/kernels/families.h"

namespace gpuprobe::testing {

inline Result<gpuprobe::Run> predict(const Kernel& kernel, CollectOptions options = {},
                                     const std::string& arch = "sm_90") {
  const auto compiled = compile::compile(kernel, arch);
  if (!compiled) return tl::unexpected(compiled.error());
  return PredictedSource(*device_for_arch(arch)).collect(kernel, *compiled, options);
}

/// "matmul", "--tile 32".
inline Result<gpuprobe::Run> predict(const std::string& family, const std::string& typed,
                                     CollectOptions options = {}) {
  const auto kernel = built(family, typed);
  if (!kernel) return tl::unexpected(kernel.error());
  return predict(*kernel, options);
}

/// A kernel of one entry from source text, named "test.cu".
inline Kernel source_kernel(const std::string& entry, const std::string& text, const Launch& launch,
                            std::vector<Buffer> buffers = {}, std::vector<Argument> args = {}) {
  Kernel kernel;
  kernel.name = entry;
  kernel.source = {"test.cu", text};
  kernel.buffers = std::move(buffers);
  kernel.steps = {{entry, launch, std::move(args)}};
  return kernel;
}

inline Buffer words(const std::string& name, std::uint64_t count, BufferInit init = {}) {
  return {name, {ScalarType::kU32, 4}, count, init};
}

}  // namespace gpuprobe::testing
