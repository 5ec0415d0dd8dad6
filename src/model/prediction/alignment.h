// How many low bits of each register are certainly zero, as an assembler could prove it: the alignment of
// addresses.
//
//   const std::vector<int> zeros = trailing_zeros(module, function);
//   zeros[reg] >= 4                                     // a multiple of 16
#pragma once

#include <vector>

#include "model/ptx/ast.h"

namespace gpuprobe::prediction {

inline constexpr int kManyZeros = 31;  ///< the value zero, or a register that nothing defines

/// One number for each register of `function`. Shared and local arrays of 16 bytes or more count as aligned
/// to 16 bytes, because the assembler places them (it does merge loads of arrays declared with a smaller
/// alignment: mm_tiled_32 of tests/data/truth/kernels_h200.tsv).
std::vector<int> trailing_zeros(const ptx::Module& module, const ptx::Function& function);

}  // namespace gpuprobe::prediction
