// Lanes that wait for lanes of their warp, warps that wait for warps of their block, and what happens when
// the wait can never end.
#include <algorithm>
#include <bit>

#include "model/simt/block_run.h"

namespace gpuprobe::simt {

bool BlockRun::warp_sync(Warp& warp, Split& split, const MicroOp& op, std::uint32_t mask) {
  // Tiles of a warp execute one instruction together, each with a mask of its own.
  const std::uint32_t* members = warp.words(op.members);
  std::uint32_t waiting = 0;
  for (std::uint32_t rest = mask; rest != 0;) {
    const std::uint32_t wanted = members[std::countr_zero(rest)];
    std::uint32_t group = 0;
    for (int i = 0; i < kLanes; ++i) group |= members[i] == wanted ? 1u << i : 0u;
    group &= rest;
    rest &= ~group;
    if ((wanted & warp.live() & ~group) != 0) {
      waiting |= group;
      warp.splits.push_back(split);
      warp.splits.back().mask = group;
      warp.splits.back().state = SplitState::kWarpWait;
      warp.splits.back().members = wanted;
      continue;
    }
    warp.phase = SyncPhase::kWhole;
    warp.sync_lanes = group;
    op.run(warp, op, group);
    if (observer != nullptr) observer->warp_sync(index_, warp.index, group);
  }
  if (waiting == 0) return true;
  if (waiting != split.mask) set_aside(warp, split, waiting);
  return false;
}

void BlockRun::check_warp_waits(Warp& warp) {
  for (std::size_t i = 0; i < warp.splits.size(); ++i) {
    if (warp.splits[i].state != SplitState::kWarpWait) continue;
    const std::uint32_t members = warp.splits[i].members;
    std::uint32_t here = 0;
    for (const Split& split : warp.splits)
      if (split.state == SplitState::kWarpWait && split.members == members) here |= split.mask;
    if ((members & warp.live() & ~here) == 0) {
      complete_warp_sync(warp, members, here);
      return;
    }
  }
}

void BlockRun::complete_warp_sync(Warp& warp, std::uint32_t members, std::uint32_t lanes) {
  // The lanes may wait at different instructions: first all give their values, then all take their results.
  warp.sync_lanes = lanes;
  for (const SyncPhase phase : {SyncPhase::kCollect, SyncPhase::kFinish}) {
    warp.phase = phase;
    for (const Split& split : warp.splits)
      if (split.state == SplitState::kWarpWait && split.members == members) {
        const MicroOp& op = image.code[static_cast<std::size_t>(split.pc)];
        op.run(warp, op, split.mask);
      }
  }
  warp.phase = SyncPhase::kWhole;
  for (Split& split : warp.splits)
    if (split.state == SplitState::kWarpWait && split.members == members) {
      split.state = SplitState::kReady;
      ++split.pc;
      split.queue = position_of(split.pc);
    }
  if (observer != nullptr) observer->warp_sync(index_, warp.index, lanes);
}

bool BlockRun::barrier(Warp& warp, Split& split, const MicroOp& op, std::uint32_t mask) {
  const BarrierOp& what = *op.barrier;
  const int lane = std::countr_zero(mask);
  const std::uint32_t id = warp.words(what.id)[lane];
  if (id > (what.cluster ? 16u : 15u)) {
    error(ErrorCode::kKernel, op, "barrier " + std::to_string(id) + " does not exist",
          "a block has barriers 0 to 15");
    return false;
  }
  Barrier& at = barriers_[id];
  if (!at.used) {
    at.arrived_lanes = at.arrived_threads = at.expected = at.popc = 0;
    at.places.clear();
    at.used = true;
    ++barriers_used_;
    at.warps.assign(warps_.size(), false);
  }
  if (what.count != kNoSlot) at.expected = warp.words(what.count)[lane];
  const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
  at.arrived_lanes += lanes;
  at.arrived_threads += mask == warp.live() ? kLanes : lanes;
  if (op.a != kNoSlot) {
    const std::uint32_t predicate = warp.predicate(op.a) ^ ((op.flags & kFlagNegateA) != 0 ? kAllLanes : 0u);
    at.popc += static_cast<std::uint32_t>(std::popcount(predicate & mask));
  }
  at.warps[static_cast<std::size_t>(warp.index)] = true;
  at.places.emplace_back(warp.index, split.pc);
  if (what.kind == BarrierKind::kArrive) {
    check_barrier(static_cast<int>(id));
    return true;
  }
  if (mask != split.mask) set_aside(warp, split, mask);
  split.state = SplitState::kBarrierWait;
  split.barrier = static_cast<int>(id);
  // Lanes on their way out need not come: an early `return` before a barrier is common and harmless.
  split.expected = what.aligned ? warp.live() : mask;
  for (const Split& other : warp.splits)
    if (image.code[static_cast<std::size_t>(other.pc)].leaves) split.expected &= ~other.mask;
  warp.splits.push_back(split);
  check_barrier(static_cast<int>(id));
  return false;
}

void BlockRun::check_barriers() {
  for (int id = 0; barriers_used_ != 0 && id < static_cast<int>(barriers_.size()); ++id) check_barrier(id);
}

void BlockRun::check_barrier(int id) {
  Barrier& at = barriers_[static_cast<std::size_t>(id)];
  if (!at.used) return;
  const bool complete =
      at.expected != 0 ? at.arrived_threads >= at.expected : at.arrived_lanes >= live_lanes_;
  if (!complete) return;
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    if (!at.warps[w]) continue;
    Warp& warp = warps_[w];
    check_divergence(warp, id);
    for (Split& split : warp.splits) {
      if (split.state != SplitState::kBarrierWait || split.barrier != id) continue;
      const MicroOp& op = image.code[static_cast<std::size_t>(split.pc)];
      const bool all = at.popc == at.arrived_lanes, any = at.popc != 0;
      switch (op.barrier->kind) {
        case BarrierKind::kRedPopc:
          for (int i = 0; i < kLanes; ++i)
            if ((split.mask >> i & 1) != 0) warp.words(op.dst)[i] = at.popc;
          break;
        case BarrierKind::kRedAnd:
        case BarrierKind::kRedOr: {
          const bool value = op.barrier->kind == BarrierKind::kRedAnd ? all : any;
          std::uint32_t& predicate = warp.predicate(op.dst);
          predicate = value ? predicate | split.mask : predicate & ~split.mask;
          break;
        }
        default:
          break;
      }
      split.state = SplitState::kReady;
      ++split.pc;
      split.queue = position_of(split.pc);
    }
  }
  at.used = false;
  --barriers_used_;
  if (observer == nullptr) return;
  for (std::size_t w = 0; w < warps_.size(); ++w)
    if (warps_[w].live() == 0) at.warps[w] = true;
  observer->barrier(index_, id, at.warps);
}

void BlockRun::phase_ended() {
  if (observer != nullptr) observer->barrier(index_, 0, std::vector<bool>(warps_.size(), true));
}

void BlockRun::check_divergence(Warp& warp, int barrier_id) {
  for (const Split& split : warp.splits) {
    if (split.state != SplitState::kBarrierWait || split.barrier != barrier_id) continue;
    std::uint32_t here = 0;
    std::int32_t elsewhere = -1;
    for (const Split& other : warp.splits) {
      const bool same = other.state == SplitState::kBarrierWait && other.pc == split.pc;
      if (same)
        here |= other.mask;
      else if ((other.mask & split.expected) != 0)
        elsewhere = other.pc;
    }
    if ((split.expected & ~here) == 0) continue;
    report_divergence(warp, split.pc, elsewhere >= 0 ? elsewhere : warp.exit_pc);
    return;
  }
}

void BlockRun::report_divergence(Warp& warp, std::int32_t barrier_pc, std::int32_t other_pc) {
  const InstructionInfo& barrier = image.instructions[static_cast<std::size_t>(
      image.code[static_cast<std::size_t>(barrier_pc)].instruction)];
  const InstructionInfo& other =
      image
          .instructions[static_cast<std::size_t>(image.code[static_cast<std::size_t>(other_pc)].instruction)];
  const FlowKind flow = image.code[static_cast<std::size_t>(other_pc)].flow;
  const char* what = flow == FlowKind::kBarrier                             ? "wait at the barrier at "
                     : flow == FlowKind::kReturn || flow == FlowKind::kExit ? "ended without it at "
                                                                            : "are at ";
  Hazard hazard;
  hazard.kind = HazardKind::kDivergentBarrier;
  hazard.text = "only part of a warp reaches the barrier at " + place(barrier) +
                ": other threads of the warp " + what + place(other) + " (block " + to_text(coordinates_) +
                ", warp " + std::to_string(warp.index) + ")";
  hazard.locations = {barrier.location, other.location};
  launch.add_hazard(std::move(hazard));
}

std::string BlockRun::whereabouts(const Warp& warp, Location& location) const {
  std::int32_t pc = warp.last_pc;
  if (!warp.splits.empty()) pc = warp.splits.back().pc;
  const InstructionInfo& info =
      image.instructions[static_cast<std::size_t>(image.code[static_cast<std::size_t>(pc)].instruction)];
  location = info.location;
  return info.text + " at " + place(info);
}

void BlockRun::report_deadlock() {
  for (Warp& warp : warps_)
    for (int id = 0; id < static_cast<int>(barriers_.size()); ++id) check_divergence(warp, id);
  Hazard hazard;
  hazard.kind = HazardKind::kDivergentBarrier;
  for (std::size_t id = 0; id < barriers_.size() && hazard.text.empty(); ++id) {
    const Barrier& at = barriers_[id];
    if (!at.used || at.places.empty()) continue;
    const InstructionInfo& info = image.instructions[static_cast<std::size_t>(
        image.code[static_cast<std::size_t>(at.places.front().second)].instruction)];
    hazard.text = "barrier " + std::to_string(id) + " at " + place(info) + " is never completed in block " +
                  to_text(coordinates_) + ": " +
                  std::to_string(at.expected != 0 ? at.arrived_threads : at.arrived_lanes) + " of " +
                  std::to_string(at.expected != 0 ? at.expected : live_lanes_) + " threads arrived";
    hazard.locations = {info.location};
    for (const Warp& warp : warps_) {
      if (warp.live() == 0 || at.warps[static_cast<std::size_t>(warp.index)]) continue;
      Location location;
      hazard.text += "; warp " + std::to_string(warp.index) + " waits in " + whereabouts(warp, location);
      hazard.locations.push_back(location);
      break;
    }
  }
  for (const Warp& warp : warps_) {
    if (!hazard.text.empty() || warp.live() == 0) continue;
    Location location;
    hazard.text = "lanes of warp " + std::to_string(warp.index) + " of block " + to_text(coordinates_) +
                  " wait for lanes that never come, in " + whereabouts(warp, location);
    hazard.locations = {location};
  }
  launch.add_hazard(std::move(hazard));
}

}  // namespace gpuprobe::simt
