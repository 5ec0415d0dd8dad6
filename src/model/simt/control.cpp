// One warp until it stops: fetch, guard, execute; branches, where lanes meet again, exits, spinning.
#include <algorithm>
#include <bit>

#include "model/simt/block_run.h"

namespace gpuprobe::simt {

namespace {

/// Backward branches after which a warp is looked at for spinning, and after which its other lanes get a turn
/// in any case. An honest loop of that length with lanes waiting behind it is rare; a lock that spins is not.
constexpr std::uint32_t kFirstLook = 1024;
constexpr std::uint32_t kForcedTurn = 1u << 20;
constexpr std::uint32_t kImageTries = 24;  ///< longest cycle, in backward branches, that is recognised

}  // namespace

void BlockRun::reset_warp(Warp& warp) {
  warp.exited = 0;
  warp.changes = 0;
  warp.splits.clear();
  warp.activations.assign(1, Activation{});
  warp.activations[0].lanes = warp.launched;
  warp.free_activations.clear();
  warp.has_deferred = false;
  warp.exit_pc = image.functions[0].entry_point;
  warp.spin = {};
  warp.spin.limit = kFirstLook;
  warp.phase = SyncPhase::kWhole;
  warp.last_pc = image.functions[0].entry_point;
  warp.splits.push_back({image.functions[0].entry_point, warp.launched});
}

namespace {

/// Where a split stands in line at the level of `level`, a call that it is in; -1 if it is not in it.
std::int32_t stands_at(const Warp& warp, const Split& split, std::int32_t level) {
  if (split.activation == level) return split.queue;
  std::int32_t at = split.activation;
  while (at > 0) {
    const Activation& activation = warp.activations[static_cast<std::size_t>(at)];
    if (activation.parent == level) return activation.position;
    at = activation.parent;
  }
  return -1;
}

/// True if `a` is behind `b` and so runs first.
bool is_behind(const Warp& warp, const Split& a, const Split& b) {
  for (std::int32_t level = a.activation; level >= 0;
       level = warp.activations[static_cast<std::size_t>(level)].parent) {
    const std::int32_t other = stands_at(warp, b, level);
    if (other < 0) continue;
    const std::int32_t own = stands_at(warp, a, level);
    if (own != other) return own < other;
    break;
  }
  // In calls from the same place: any order, but always the same one.
  return a.activation != b.activation ? a.activation > b.activation : a.pc < b.pc;
}

}  // namespace

bool BlockRun::take_ready(Warp& warp, Split& split, std::int32_t& threshold) {
  auto& splits = warp.splits;
  threshold = INT32_MAX;
  std::size_t best = splits.size();
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i].state != SplitState::kReady || splits[i].deferred) continue;
    if (best == splits.size() || is_behind(warp, splits[i], splits[best])) best = i;
  }
  if (best == splits.size()) return false;
  split = splits[best];
  splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(best));
  for (std::size_t i = splits.size(); i-- > 0;) {
    const Split& other = splits[i];
    if (other.state != SplitState::kReady || other.deferred) continue;
    if (other.activation == split.activation && other.pc == split.pc && other.queue == split.queue) {
      split.mask |= other.mask;
      splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const std::int32_t at = stands_at(warp, other, split.activation);
    if (at >= 0) threshold = std::min(threshold, other.activation == split.activation ? at : at + 1);
  }
  return true;
}

void BlockRun::divide(Warp& warp, const Split& split, const MicroOp& op, std::uint32_t taken) {
  const BranchOp& branch = *op.branch;
  warp.splits.push_back({branch.targets[0].pc, taken, branch.targets[0].queue, split.activation});
  warp.splits.push_back({branch.next.pc, split.mask & ~taken, branch.next.queue, split.activation});
}

bool BlockRun::branch_table(Warp& warp, const Split& split, const MicroOp& op, std::uint32_t mask) {
  const BranchOp& branch = *op.branch;
  const std::uint32_t* index = warp.words(op.a);
  for (std::uint32_t rest = mask; rest != 0;) {
    const std::uint32_t chosen = index[std::countr_zero(rest)];
    if (chosen >= branch.targets.size()) {
      error(ErrorCode::kKernel, op,
            "brx.idx with index " + std::to_string(chosen) + " of a table of " +
                std::to_string(branch.targets.size()) + " targets",
            "the kernel branches to nowhere");
      return false;
    }
    std::uint32_t lanes = 0;
    for (std::uint32_t others = rest; others != 0; others &= others - 1) {
      const int lane = std::countr_zero(others);
      // Entries may share a target.
      if (index[lane] < branch.targets.size() && branch.targets[index[lane]].pc == branch.targets[chosen].pc)
        lanes |= 1u << lane;
    }
    warp.splits.push_back({branch.targets[chosen].pc, lanes, branch.targets[chosen].queue, split.activation});
    rest &= ~lanes;
  }
  if ((split.mask & ~mask) != 0)
    warp.splits.push_back({branch.next.pc, split.mask & ~mask, branch.next.queue, split.activation});
  return true;
}

void BlockRun::set_aside(Warp& warp, Split& split, std::uint32_t mask) {
  warp.splits.push_back({split.pc + 1, split.mask & ~mask, position_of(split.pc + 1), split.activation});
  split.mask = mask;
}

void BlockRun::exit_lanes(Warp& warp, std::int32_t activation, std::uint32_t mask) {
  warp.exited |= mask;
  warp.exit_pc = warp.last_pc;
  live_lanes_ -= static_cast<std::uint32_t>(std::popcount(mask));
  while (activation > 0) {
    const std::int32_t parent = warp.activations[static_cast<std::size_t>(activation)].parent;
    drop_from_activation(warp, activation, mask);
    activation = parent;
  }
}

void BlockRun::forget_deferred(Warp& warp) {
  for (Split& split : warp.splits) split.deferred = false;
  warp.has_deferred = false;
}

BlockRun::SpinResult BlockRun::watch_spin(Warp& warp, const Split& split, std::int32_t pc) {
  SpinWatch& spin = warp.spin;
  if (spin.backward >= kForcedTurn) {
    spin = {};
    spin.limit = kFirstLook;
    const bool others = std::any_of(warp.splits.begin(), warp.splits.end(), [](const Split& other) {
      return other.state == SplitState::kReady && !other.deferred;
    });
    return others ? SpinResult::kDefer : SpinResult::kGoOn;
  }
  std::uint64_t hash = split.mask;
  const auto* words = reinterpret_cast<const std::uint64_t*>(warp.registers);
  for (std::size_t i = 0; i < image.constants_begin / 8; ++i)
    hash = (hash ^ words[i]) * 0xFF51AFD7ED558CCDu + (hash >> 29);
  if (spin.attempts != 0 && spin.pc == pc && spin.changes == warp.changes && spin.image == hash) {
    spin.attempts = 0;
    spin.limit = spin.backward + 2;
    return SpinResult::kDefer;
  }
  if (spin.attempts == 0) {
    spin.attempts = 1;
    spin.pc = pc;
    spin.image = hash;
    spin.changes = warp.changes;
    spin.limit = spin.backward + 1;
  } else if (++spin.attempts > kImageTries) {
    spin.attempts = 0;
    spin.limit = spin.backward * 2 < kForcedTurn ? spin.backward * 2 : kForcedTurn;
  } else {
    spin.limit = spin.backward + 1;
  }
  return SpinResult::kGoOn;
}

BlockRun::WarpStatus BlockRun::run_warp(Warp& warp, std::int64_t budget) {
  return followed_ ? run_warp_as<true>(warp, budget) : run_warp_as<false>(warp, budget);
}

template <bool kFollowed>
BlockRun::WarpStatus BlockRun::run_warp_as(Warp& warp, std::int64_t budget) {
  const MicroOp* code = image.code.data();
  Split split;
  std::int32_t threshold = INT32_MAX;
  std::uint64_t executed = 0, lanes = 0;
  const auto account = [&](WarpStatus status) {
    instructions += executed;
    lane_instructions += lanes;
    worker.warp_instructions += executed;
    worker.lane_instructions += lanes;
    return status;
  };
  forget_deferred(warp);
  while (true) {
    if (static_cast<std::int64_t>(executed) >= budget) return account(WarpStatus::kTurnOver);
    check_warp_waits(warp);
    // Splits that repeat themselves get a new chance when memory has changed.
    if (warp.has_deferred && warp.changes != warp.deferred_changes) forget_deferred(warp);
    if (!take_ready(warp, split, threshold)) {
      if (warp.live() == 0) return account(WarpStatus::kDone);
      return account(warp.has_deferred ? WarpStatus::kSpinning : WarpStatus::kBlocked);
    }
    std::int32_t pc = split.pc;
    const std::uint32_t mask = split.mask;
    bool goes_on = true;
    // Plain instructions stay in this loop; what changes the split leaves it through the switch.
    while (goes_on) {
      const MicroOp& op = code[pc];
      std::uint32_t active = mask;
      if (op.guard != kNoSlot) {
        const std::uint32_t predicate = warp.predicate(op.guard);
        active &= op.guard_negated ? ~predicate : predicate;
      }
      if (active != 0) {
        ++executed;
        if constexpr (kFollowed) followed_ = followed_ && observer->issue(warp.index, op.instruction);
        lanes += active == kAllLanes ? 32u : static_cast<std::uint32_t>(std::popcount(active));
        if (op.flow == FlowKind::kPlain) [[likely]] {
          op.run(warp, op, active);
        } else if (op.flow == FlowKind::kMemory) {
          op.run(warp, op, active);
          if (stop) {
            warp.last_pc = pc;
            return account(WarpStatus::kStopped);
          }
        } else {
          split.pc = pc;
          warp.last_pc = pc;
          switch (op.flow) {
            case FlowKind::kBranch: {
              const BranchOp::Way& target = op.branch->targets[0];
              if (target.pc <= pc) {
                const bool turn_over = static_cast<std::int64_t>(executed) >= budget;
                const bool look = ++warp.spin.backward >= warp.spin.limit;
                const bool defer = look && watch_spin(warp, split, pc) == SpinResult::kDefer;
                if (turn_over || defer) {
                  // The branch is executed again when the split goes on.
                  --executed;
                  lanes -= static_cast<std::uint32_t>(std::popcount(active));
                  split.queue = op.position;
                  split.deferred = defer;
                  warp.splits.push_back(split);
                  if (turn_over) return account(WarpStatus::kTurnOver);
                  warp.has_deferred = true;
                  warp.deferred_changes = warp.changes;
                  goes_on = false;
                  continue;
                }
              }
              if (active == mask && (threshold == INT32_MAX || target.queue < threshold)) {
                pc = target.pc;
                continue;
              }
              if (active == mask)
                warp.splits.push_back({target.pc, mask, target.queue, split.activation});
              else
                divide(warp, split, op, active);
              goes_on = false;
              continue;
            }
            case FlowKind::kBranchTable:
              goes_on = branch_table(warp, split, op, active) && false;
              break;
            case FlowKind::kCall:
              if (call(warp, split, op, op.call->callee, active)) warp.splits.push_back(split);
              goes_on = false;
              break;
            case FlowKind::kCallIndirect:
              if (call_indirect(warp, split, op, active) && split.mask != 0) warp.splits.push_back(split);
              goes_on = false;
              break;
            case FlowKind::kReturn:
              if (split.activation > 0) {
                return_from(warp, split, active);
                goes_on = false;
                break;
              }
              [[fallthrough]];
            case FlowKind::kExit:
              exit_lanes(warp, split.activation, active);
              if (mask != active) set_aside(warp, split, active);
              goes_on = false;
              check_barriers();
              break;
            case FlowKind::kTrap:
              error(ErrorCode::kKernel, op, "the kernel executed trap",
                    "the kernel itself gives up there: look at the condition");
              break;
            case FlowKind::kAssert:
              assert_failed(warp, op, active);
              break;
            case FlowKind::kWarpSync:
              goes_on = warp_sync(warp, split, op, active);
              break;
            case FlowKind::kBarrier:
              goes_on = barrier(warp, split, op, active);
              break;
            default:
              break;
          }
          if (stop) return account(WarpStatus::kStopped);
          if (!goes_on) break;
        }
      }
      ++pc;
      if (code[pc].position >= threshold || (warp.has_deferred && warp.changes != warp.deferred_changes)) {
        warp.splits.push_back({pc, mask, code[pc].position, split.activation});
        break;
      }
    }
  }
}

}  // namespace gpuprobe::simt
