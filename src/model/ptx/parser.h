// Parses the PTX that NVRTC and nvcc write.
//
//   Result<ptx::Module> module = ptx::parse(compiled.ptx);
#pragma once

#include <string_view>

#include "core/result.h"
#include "model/ptx/ast.h"

namespace gpuprobe::ptx {

/// Parses a whole module. Errors (kMachine: this tool cannot predict it) name the PTX line and what stood
/// there. Never crashes or hangs on any input; nesting and sizes are bounded.
Result<Module> parse(std::string_view text);

}  // namespace gpuprobe::ptx
