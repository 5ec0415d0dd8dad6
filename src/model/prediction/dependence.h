// What the addresses and the control flow of a kernel depend on: only on the launch and its scalar arguments,
// or also on data that it loads. If not on data, blocks at like positions of the grid do the same, and a
// sample of them stands for all.
//
//   const Dependence d = analyse_dependence(*module.find(entry));
//   if (d.on_data) ...          // counts scaled from a sample are estimates
#pragma once

#include <set>

#include "model/ptx/ast.h"

namespace gpuprobe::prediction {

struct Dependence {
  bool on_data = false;  ///< an address, a guard or a branch may depend on a value loaded from memory
  bool has_global_atomics = false;
  bool waits_for_memory =
      false;  ///< loads global memory as volatile, relaxed or acquire: it may wait for other blocks
  bool writes_anything =
      false;  ///< a store through an address of unknown origin: every buffer may be written
  std::set<int> written_parameters;  ///< parameters (by index) through whose address the kernel stores
};

/// Conservative: what it cannot follow counts as dependent, and as written.
Dependence analyse_dependence(const ptx::Function& entry);

}  // namespace gpuprobe::prediction
