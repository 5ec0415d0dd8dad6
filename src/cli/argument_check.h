// Whether the arguments of a launch are what the compiled kernel takes, asked before anything is executed:
// a GPU would read an int where a float was passed, or an address where a number was, and compute nonsense.
//
//   if (Status fit = check_arguments(kernel, compiled, {"n", "in", "out"}); !fit) ...
//   // argument 2 'in' of scale is f64[1024], but parameter 2 is float const*: its elements are of type float
#pragma once

#include <span>
#include <string>

#include "core/compiled_kernel.h"
#include "core/kernel.h"
#include "core/result.h"

namespace gpuprobe::cli {

/// Compares number, sizes and types. Sizes come from the compiled code; types from the C++ name of the
/// kernel, and from the PTX where it has none (extern "C"). Signed and unsigned integers of one size pass for
/// each other, bytes for anything of their size, and u64 for a pointer. `names` are those of the arguments,
/// in order; may be empty.
/// Errors: kUsage naming the argument, the kernel and both types.
Status check_arguments(const Kernel& kernel, const CompiledKernel& compiled,
                       std::span<const std::string> names);

}  // namespace gpuprobe::cli
