// The call sites behind an inlined instruction.
//
//   for (const SourceLocation* at : location_chain(function, instruction.location))
//     print(module.files.at(at->file), at->line);        // innermost first: helper.h:12, then kernel.cu:40
#pragma once

#include <vector>

#include "model/ptx/ast.h"

namespace gpuprobe::ptx {

/// The location and the call sites that it was inlined at, innermost first; empty for -1. The pointers live
/// as long as `function.locations` is not changed.
std::vector<const SourceLocation*> location_chain(const Function& function, int location);

}  // namespace gpuprobe::ptx
