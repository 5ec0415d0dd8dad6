// Where the lanes of a divergent branch meet again: basic blocks and immediate post-dominators of a function.
//
//   Flow flow = analyse(function);
//   int meet = flow.reconvergence[i];   // of the branch body[i]: both sides run until they reach `meet`
//
// A path that only leaves an entry function (ret, exit, trap) is not a side of the branch: its lanes are gone
// and the others need not wait for them. `if (i < n) { if (skip) return; a(); } b();` therefore meets at b()
// and not at the end, as in the SASS that ptxas makes of it (the convergence barrier drops lanes that EXIT).
#pragma once

#include <vector>

#include "model/ptx/ast.h"

namespace gpuprobe::ptx {

/// A maximal run of instructions entered only at its first one.
struct BasicBlock {
  int begin = 0;                ///< first instruction
  int end = 0;                  ///< one past the last
  std::vector<int> successors;  ///< block numbers, ascending, each once; exit is Flow::blocks.size()
};

struct Flow {
  std::vector<BasicBlock> blocks;  ///< in the order of the text; unreachable ones too
  std::vector<int> block_of;       ///< per instruction: its block
  /// Per instruction: index of the instruction where lanes that execute it meet again, body.size() = when the
  /// function is left. After an instruction that does not branch that is the next one.
  std::vector<int> reconvergence;
};

/// Analyses a parsed body. Never fails; a loop without an exit is taken to leave from its first block.
Flow analyse(const Function& function);

/// Immediate post-dominator of every node of a graph with nodes 0..n-1 and the virtual exit n: the nearest
/// other node that lies on every path from the node to the exit. Nodes without a path to the exit get one
/// from the lowest-numbered node of each closed cycle that they end in.
std::vector<int> post_dominators(const std::vector<std::vector<int>>& successors);

}  // namespace gpuprobe::ptx
