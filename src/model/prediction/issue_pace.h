// How fast one warp could issue if no other warp were in the way: its chains of dependent instructions, taken
// from what it executes. A kernel of one long chain issues every fourth cycle, one of four independent chains
// every cycle; only other warps can fill the gaps of the first.
//
//   const IssuePlan plan = plan_issue(module, program);
//   IssuePace pace(plan, warps_per_block);
//   while (pace.issue(warp, instruction)) ...                  // as the warps of one block execute
//   pace.cycles() / pace.instructions()                        // 3.9 for one chain of multiply-adds
//
// Each instruction issues in the first free cycle in which its operands are ready, one a cycle. Within a
// stretch of straight code the order is free, since the assembler puts what does not depend between what
// does; a stretch ends where the code branches or synchronises. Waits for memory are not in it: a loaded
// value counts as ready like the result of an addition, and diagnose/cost adds what loads take.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ptx/ast.h"
#include "model/simt/machine.h"

namespace gpuprobe::prediction {

/// What the pace needs to know of one static instruction. Registers are numbered through all functions.
struct IssueStep {
  std::vector<int> reads;
  std::vector<int> writes;
  int latency = 0;    ///< cycles from its issue to that of one that needs its result; 0 = a copy
  int stretch = 0;    ///< number of the stretch of straight code that it is in
  bool last = false;  ///< nothing of its stretch can issue after it
};

struct IssuePlan {
  std::vector<IssueStep> steps;  ///< by static instruction
  int registers = 0;
};

/// The plan of a program that was loaded from `module`.
IssuePlan plan_issue(const ptx::Module& module, const simt::Program& program);

/// The pace of the warps of one block, each as if it were alone.
class IssuePace {
 public:
  /// `plan` outlives it.
  IssuePace(const IssuePlan& plan, int warps) : plan_(plan), warps_(static_cast<std::size_t>(warps)) {}

  /// A warp issues an instruction. False once it has seen enough: the rest of the block does the same.
  bool issue(int warp, int instruction);
  /// Cycles that the warps took for their instructions, summed.
  std::uint64_t cycles() const;
  std::uint64_t instructions() const { return instructions_; }

 private:
  struct WarpClock {
    std::vector<std::uint64_t> ready;  ///< by register: the cycle from which on it can be read
    std::vector<bool> taken;           ///< cycles of this stretch in which something issues, from `begin` on
    std::uint64_t begin = 0;           ///< first cycle of this stretch
    std::uint64_t end = 0;             ///< one past the last cycle in which something issues
    std::uint64_t free = 0;            ///< no cycle before it is free
    int previous = -1;                 ///< instruction
  };

  const IssuePlan& plan_;
  std::vector<WarpClock> warps_;
  std::uint64_t instructions_ = 0;
};

}  // namespace gpuprobe::prediction
