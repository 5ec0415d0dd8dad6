#include "model/simt/block_run.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "model/simt/memory.h"

namespace gpuprobe::simt {
namespace {

constexpr std::uint64_t kTurn = 1 << 15;  ///< warp instructions before another warp gets its turn
constexpr std::uint64_t kQuietTurn = 4u
                                     << 20;  ///< warp instructions without a change of memory: maybe waiting
constexpr std::align_val_t kRegisterAlignment{64};

}  // namespace

BlockRun::BlockRun(LaunchState& launch_state, Worker& the_worker)
    : launch(launch_state), worker(the_worker), image(launch_state.image), observer(the_worker.observer) {
  const std::size_t per_warp = (std::size_t{image.register_bytes} + 63) / 64 * 64;
  register_store_bytes_ = per_warp * launch.warps_per_block;
  register_store_ = static_cast<std::byte*>(::operator new(register_store_bytes_, kRegisterAlignment));
  std::memset(register_store_, 0, register_store_bytes_);
  shared.resize(launch.shared_bytes);
  warps_.resize(launch.warps_per_block);
  const std::uint64_t threads = launch.execution.launch.block.count();
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.block = this;
    warp.index = static_cast<int>(w);
    warp.registers = register_store_ + w * per_warp;
    const std::uint64_t lanes = std::min<std::uint64_t>(threads - w * kLanes, kLanes);
    warp.launched = lanes == kLanes ? kAllLanes : (1u << lanes) - 1;
    std::copy(image.constants.begin(), image.constants.end(), warp.registers + image.constants_begin);
    fill_specials(warp);
    grow_local(warp, image.static_local_bytes);
  }
}

BlockRun::~BlockRun() {
  ::operator delete(register_store_, kRegisterAlignment);
}

Dim3 BlockRun::thread(const Warp& warp, int lane) const {
  const Dim3& block = launch.execution.launch.block;
  const auto linear = static_cast<std::uint32_t>(warp.index * kLanes + lane);
  return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

void BlockRun::fill_coordinates(Warp& warp) {
  for (const SpecialSlot& slot : image.specials) {
    std::uint32_t value = coordinates_.x;
    if (slot.special == Special::kCtaidY) value = coordinates_.y;
    if (slot.special == Special::kCtaidZ) value = coordinates_.z;
    const bool is_coordinate = slot.special == Special::kCtaidX || slot.special == Special::kCtaidY ||
                               slot.special == Special::kCtaidZ;
    if (!is_coordinate) continue;
    if (slot.is_64)
      std::fill_n(warp.pairs(slot.offset), kLanes, std::uint64_t{value});
    else
      std::fill_n(warp.words(slot.offset), kLanes, value);
  }
}

void BlockRun::fill_specials(Warp& warp) {
  const Launch& config = launch.execution.launch;
  for (const SpecialSlot& slot : image.specials) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const Dim3 tid = thread(warp, lane);
      const std::uint32_t eq = 1u << lane, lower = eq - 1;
      std::uint32_t value = 0;
      switch (slot.special) {
        case Special::kTidX:
          value = tid.x;
          break;
        case Special::kTidY:
          value = tid.y;
          break;
        case Special::kTidZ:
          value = tid.z;
          break;
        case Special::kNtidX:
          value = config.block.x;
          break;
        case Special::kNtidY:
          value = config.block.y;
          break;
        case Special::kNtidZ:
          value = config.block.z;
          break;
        case Special::kCtaidX:
        case Special::kCtaidY:
        case Special::kCtaidZ:
          break;  // of each block: fill_coordinates
        case Special::kNctaidX:
          value = config.grid.x;
          break;
        case Special::kNctaidY:
          value = config.grid.y;
          break;
        case Special::kNctaidZ:
          value = config.grid.z;
          break;
        case Special::kLaneId:
          value = static_cast<std::uint32_t>(lane);
          break;
        case Special::kWarpId:
          value = static_cast<std::uint32_t>(warp.index);
          break;
        case Special::kNwarpId:
          value = launch.warps_per_block;
          break;
        case Special::kNsmId:
        case Special::kGridId:
        case Special::kOne:
          value = 1;
          break;
        case Special::kSmId:
        case Special::kZero:
          value = 0;
          break;
        case Special::kLanemaskEq:
          value = eq;
          break;
        case Special::kLanemaskLe:
          value = eq | lower;
          break;
        case Special::kLanemaskLt:
          value = lower;
          break;
        case Special::kLanemaskGe:
          value = ~lower;
          break;
        case Special::kLanemaskGt:
          value = ~(eq | lower);
          break;
        case Special::kDynamicSmemSize:
          value = config.dynamic_shared;
          break;
        case Special::kTotalSmemSize:
          value = launch.shared_bytes;
          break;
      }
      if (slot.is_64)
        warp.pairs(slot.offset)[lane] = value;
      else
        warp.words(slot.offset)[lane] = value;
    }
  }
}

void BlockRun::begin(std::uint64_t index) {
  const Dim3& grid = launch.execution.launch.grid;
  index_ = index;
  coordinates_ = {static_cast<std::uint32_t>(index % grid.x),
                  static_cast<std::uint32_t>(index / grid.x % grid.y),
                  static_cast<std::uint32_t>(index / grid.x / grid.y)};
  std::fill(shared.begin(), shared.end(), std::byte{0});
  for (Barrier& barrier : barriers_) barrier.used = false;
  barriers_used_ = 0;
  instructions = lane_instructions = clock_reads = 0;
  stop = false;
  live_lanes_ = 0;
  unfinished_ = warps_.size();
  quiet_since_ = quiet_changes_ = 0;
  quiet_ = false;
  for (Warp& warp : warps_) {
    reset_warp(warp);
    fill_coordinates(warp);
    live_lanes_ += static_cast<std::uint32_t>(std::popcount(warp.launched));
  }
  if (observer != nullptr) observer->begin_block(index_, launch.shared_bytes);
  followed_ = observer != nullptr && observer->follows(index_);
}

std::uint64_t BlockRun::changes() const {
  std::uint64_t sum = 0;
  for (const Warp& warp : warps_) sum += warp.changes;
  return sum;
}

std::size_t BlockRun::footprint() const {
  std::size_t bytes = register_store_bytes_ + shared.size();
  for (const Warp& warp : warps_) bytes += warp.local.size() + sizeof(Warp);
  return bytes;
}

BlockRun::Status BlockRun::run() {
  const std::uint64_t limit = launch.execution.step_limit;
  while (true) {
    std::size_t ran = 0, spinning = 0;
    for (Warp& warp : warps_) {
      const bool ready = std::any_of(warp.splits.begin(), warp.splits.end(),
                                     [](const Split& split) { return split.state == SplitState::kReady; });
      if (!ready) continue;
      ++ran;
      if (limit != 0 && worker.warp_instructions >= limit) {
        launch.timed_out = true;
        return Status::kStopped;
      }
      const std::uint64_t turn = limit == 0 ? kTurn : std::min(kTurn, limit - worker.warp_instructions);
      switch (run_warp(warp, static_cast<std::int64_t>(turn))) {
        case WarpStatus::kStopped:
          return Status::kStopped;
        case WarpStatus::kSpinning:
          ++spinning;
          first_waiting_ = static_cast<std::size_t>(warp.index);
          break;
        default:
          break;
      }
    }
    if (live_lanes_ == 0) {
      if (observer != nullptr) {
        observer->block_work(index_, instructions, lane_instructions);
        observer->end_block(index_);
      }
      ++worker.blocks;
      return Status::kDone;
    }
    if (launch.expired()) return Status::kStopped;
    if (ran == 0) {
      report_deadlock();
      launch.cancelled = true;
      return Status::kStopped;
    }
    if (ran != 0 && ran == spinning) return Status::kWaiting;
    const std::uint64_t now = changes();
    if (now != quiet_changes_) {
      quiet_changes_ = now;
      quiet_since_ = instructions;
      quiet_ = false;
    } else if (instructions - quiet_since_ > kQuietTurn) {
      quiet_since_ = instructions;
      quiet_ = true;
      for (const Warp& warp : warps_)
        if (warp.live() != 0) first_waiting_ = static_cast<std::size_t>(warp.index);
      return Status::kPaused;
    }
  }
}

void BlockRun::observe(Warp& warp, const MicroOp& op, MemorySpace space, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  MemoryAccess access;
  access.instruction = op.instruction;
  access.space = space;
  access.op = memory.op;
  access.width = memory.width();
  access.active = mask;
  access.addresses = warp.addresses.data();
  access.shared_destination = memory.op == AccessOp::kAsyncCopy ? warp.destinations.data() : nullptr;
  access.order = memory.order;
  access.block = index_;
  access.warp = warp.index;
  if (memory.op == AccessOp::kMatrixLoad || memory.op == AccessOp::kMatrixStore) {
    access.matrices = memory.elements;
    access.width = 16;  // a row of eight 2-byte elements
  }
  observer->access(access);
}

}  // namespace gpuprobe::simt
