// Reads the facts of a cubin (the ELF file that ptxas writes) that decide residency: registers, shared and
// local memory, barriers, block limits, and the sizes of the kernel's parameters.
//
//   auto functions = compile::read_cubin(compiled.cubin);
//   functions->front().registers;   // 38
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compiled_kernel.h"
#include "core/result.h"

namespace gpuprobe::compile {

/// The entry functions of `cubin`, in symbol-table order; `name_expression` is left empty.
/// Errors: kMachine saying what is wrong if it is not a complete 64-bit CUDA ELF file or contradicts itself.
Result<std::vector<FunctionResources>> read_cubin(std::span<const std::uint8_t> cubin);

}  // namespace gpuprobe::compile
