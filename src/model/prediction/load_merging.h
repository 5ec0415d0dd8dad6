// Which shared loads of the PTX the assembler turns into one wider load: loads from one base register at
// neighbouring constant offsets, in one stretch of straight code without a store between them, where the
// alignment of the whole is provable. As[ty][k] .. As[ty][k + 3] becomes one LDS.128. This reproduces the
// instruction and wavefront counts of all tiled products in tests/data/truth/kernels_h200.tsv.
//
//   for (const MergedLoad& load : merged_shared_loads(module, function)) ...   // {lines 287, 293, 299, 305},
//   16 bytes
#pragma once

#include <cstdint>
#include <vector>

#include "model/ptx/ast.h"

namespace gpuprobe::prediction {

struct MergedLoad {
  std::vector<int> ptx_lines;  ///< of the merged loads, in execution order; the first stands for all
  std::uint32_t width = 0;     ///< bytes a lane of the merged load: 8 or 16
  std::int64_t first_offset =
      0;  ///< address of the merged load less that of the first load in execution order
};

std::vector<MergedLoad> merged_shared_loads(const ptx::Module& module, const ptx::Function& function);

}  // namespace gpuprobe::prediction
