// What the compiler made of a kernel: PTX to execute on the CPU, a cubin to launch, and the facts read from
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpuprobe {

/// Resources of one entry function, read from the cubin.
struct FunctionResources {
  std::string name_expression;                 ///< as in Step::entry
  std::string lowered_name;                    ///< symbol in PTX and cubin
  int registers = 0;                           ///< per thread
  std::uint32_t shared_static = 0;             ///< bytes per block, without the reserved part
  std::uint32_t local_bytes = 0;               ///< stack frame per thread: spills and local arrays
  int barriers = 0;                            ///< named barriers used
  int max_threads = 0;                         ///< from __launch_bounds__; 0 = not given
  std::vector<std::uint32_t> parameter_bytes;  ///< size of each kernel parameter, in order
};

struct CompiledKernel {
  std::string arch;  ///< "sm_90"
  std::string ptx;
  std::vector<std::uint8_t> cubin;
  std::vector<FunctionResources> functions;  ///< one for each distinct entry of the kernel
  std::string compiler;                      ///< "NVRTC 13.0"
  bool from_cache = false;

  /// nullptr if `name_expression` is not an entry of this kernel.
  const FunctionResources* find(const std::string& name_expression) const {
    for (const auto& function : functions)
      if (function.name_expression == name_expression) return &function;
    return nullptr;
  }
};

}  // namespace gpuprobe
