// Compiles a kernel with NVRTC (loaded at run time) to PTX and cubin in one go, and reads the facts of the
// cubin. Results are cached on disk under $XDG_CACHE_HOME/gpuprobe.
//
//   auto compiled = compile::compile(kernel, "sm_90");
#pragma once

#include <string>
#include <string_view>

#include "core/compiled_kernel.h"
#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe::compile {

struct CompileOptions {
  bool use_cache = true;
};

/// Compiles all entries of `kernel` for `arch` ("sm_75" ... "sm_120") with line information. Without steps,
/// `functions` lists every __global__ function of the source that is not a template, under its own name. Of
/// a kernel whose steps are library calls alone nothing is compiled, and only `arch` is set.
/// Errors: kKernel with the compiler's own messages; kMachine if NVRTC is not found (says where it was looked
/// for) or does not know the arch.
Result<CompiledKernel> compile(const Kernel& kernel, std::string_view arch,
                               const CompileOptions& options = {});

}  // namespace gpuprobe::compile
