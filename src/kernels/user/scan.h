// Finds the kernels of a CUDA source by reading its text: what `gpuprobe run FILE.cu` lists when no kernel is
// named, and what `gpuprobe init` writes a first gpuprobe.toml from. No compiler is run.
//
//   for (const FoundKernel& k : find_kernels(text)) ...   // k.name, k.parameters[0].type == "const float*"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuprobe::user {

struct FoundParameter {
  std::string type;  ///< "const float*", "int"
  std::string name;  ///< "in"; empty if the source does not name it
};

struct FoundKernel {
  std::string name;
  int line = 0;              ///< of the name
  bool is_template = false;  ///< must be named with its arguments: "transpose<float, 32>"
  std::vector<FoundParameter> parameters;
};

/// All `__global__` definitions and declarations, in order, each name once. Never fails: what it cannot read
/// is left out.
std::vector<FoundKernel> find_kernels(std::string_view source);

/// A [[kernel]] entry for `kernel` with a launch over n elements, to be adapted: pointers to const are random
/// inputs, other pointers are zeroed outputs, integers are n.
std::string first_entry(const FoundKernel& kernel, std::string_view file);

}  // namespace gpuprobe::user
