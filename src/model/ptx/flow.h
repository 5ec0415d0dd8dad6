// Where the lanes of a divergent branch meet again: basic blocks, post-dominators and the order in which
// diverged groups of lanes run.
//
//   Flow flow = analyse(function);
//   flow.reconvergence[i];          // classic: immediate post-dominator, for a stack of reconvergence points
//   flow.position[pc];              // exact: always run the group with the smallest position, merge equal
//   ones flow.queue_position(i, target); // the position at which a group that jumps from i to target queues
//
// The two agree where every path of a branch goes through its post-dominator. Where some lanes leave early,
// `if (a) { if (b) goto end; x(); } y(); end: z();`, the post-dominator of `a` is z(), but ptxas still makes
// the remaining lanes meet at y(): measured on an H200 with __activemask() in y(), all lanes but those of b
// are together, whether `end` is a bare return, code that ends in a return, shared code behind y(), or the
// return of a function that is not inlined (BSSY B0, z; BSSY B1, y; @b BREAK B1). Running by position gives
// exactly that: y() stands behind everything that can still reach it without closing a loop, so a group at
// y() waits for all of it, and never for lanes that left.
#pragma once

#include <vector>

#include "model/ptx/ast.h"

namespace gpuprobe::ptx {

/// A maximal run of instructions entered only at its first one.
struct BasicBlock {
  int begin = 0;  ///< first instruction
  int end = 0;    ///< one past the last
  std::vector<int>
      successors;  ///< block numbers, ascending, each once; leaving the function is Flow::blocks.size()
};

struct Flow {
  std::vector<BasicBlock> blocks;  ///< in the order of the text; unreachable ones too
  std::vector<int> block_of;       ///< per instruction: its block

  /// Per instruction: the instruction where lanes that execute it meet again, body.size() = when the function
  /// is left. After an instruction that does not branch that is the next one. A path that does nothing but
  /// leave (ret, exit, trap) does not count as long as there is another one.
  std::vector<int> reconvergence;

  /// Per instruction, and last for body.size(): unique and ascending along every path but where a loop
  /// closes.
  std::vector<int> position;

  /// Per instruction: if a loop is entered there, the position behind the last instruction of that loop; else
  /// -1.
  std::vector<int> loop_end;

  /// The position at which a group of lanes queues that goes on from `from` to `to`. Usually position[to]; a
  /// group that closes a loop queues behind the loop's body, until the others have finished this iteration.
  int queue_position(int from, int to) const {
    const auto target = static_cast<std::size_t>(to);
    const bool backward = position[target] <= position[static_cast<std::size_t>(from)];
    return backward && loop_end[target] >= 0 ? loop_end[target] : position[target];
  }
};

/// Analyses a parsed body. Never fails; a loop without an exit is taken to leave from its last block.
Flow analyse(const Function& function);

}  // namespace gpuprobe::ptx
