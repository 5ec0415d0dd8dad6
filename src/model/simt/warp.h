// One warp while it runs: its registers and where its lanes are.
//
// Lanes that go the same way form a split. One split executes at a time: always the one that is furthest
// behind in the order of ptx::Flow, and splits that come to the same place become one. That is where the
// lanes meet again on the GPU too, lanes that leave early included. Splits that wait, for lanes of the warp
// (shfl.sync ...) or for the block (bar.sync), hold nobody back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/simt/micro_op.h"

namespace gpuprobe::simt {

class BlockRun;

/// A call that lanes are in. 0 is the entry function itself.
struct Activation {
  std::int32_t parent = -1;
  std::int32_t return_pc = -1;
  std::int32_t position = 0;  ///< of the call instruction in the caller
  std::int32_t depth = 0;
  std::uint32_t lanes = 0;  ///< that have not returned
  const CallOp* call = nullptr;
  std::int32_t callee = 0;
  std::int32_t saved = -1;  ///< recursion: index into Warp::saved_frames
};

enum class SplitState : std::uint8_t { kReady, kWarpWait, kBarrierWait };

struct Split {
  std::int32_t pc = 0;
  std::uint32_t mask = 0;
  std::int32_t queue = 0;  ///< position at which it stands in line
  std::int32_t activation = 0;
  SplitState state = SplitState::kReady;
  bool deferred = false;       ///< it repeats itself: others first
  std::uint32_t members = 0;   ///< kWarpWait: the lanes waited for
  int barrier = 0;             ///< kBarrierWait
  std::uint32_t expected = 0;  ///< kBarrierWait: lanes of the warp that should have come along
};

/// Detects a loop that changes nothing: two equal images of the registers with no store in between.
struct SpinWatch {
  std::uint32_t backward = 0;  ///< backward branches since the last reset
  std::uint32_t limit = 1024;  ///< next look
  std::uint32_t attempts = 0;  ///< 0 = no image taken
  std::int32_t pc = -1;
  std::uint64_t image = 0;  ///< hash of the registers
  std::uint64_t changes = 0;
};

/// How a warp-level operation that several splits reach separately is served.
enum class SyncPhase : std::uint8_t { kWhole, kCollect, kFinish };

struct Warp {
  std::byte* registers = nullptr;
  BlockRun* block = nullptr;
  int index = 0;
  std::uint32_t launched = 0;  ///< lanes with a thread
  std::uint32_t exited = 0;
  std::uint64_t changes = 0;  ///< stores and atomics that may have changed memory

  std::vector<Split> splits;  ///< the running one is kept apart
  std::vector<Activation> activations;
  std::vector<std::int32_t> free_activations;
  std::vector<std::vector<std::byte>> saved_frames;
  std::vector<std::int32_t> free_frames;
  std::vector<std::uint64_t> call_buffer;  ///< arguments on their way
  SpinWatch spin;
  bool has_deferred = false;
  std::uint64_t deferred_changes = 0;  ///< `changes` when a split was deferred last
  std::int32_t last_pc = 0;            ///< where it stopped last, for reports
  std::int32_t exit_pc = -1;           ///< where lanes left last

  SyncPhase phase = SyncPhase::kWhole;
  std::uint32_t sync_lanes = 0;  ///< lanes that take part in the warp-level operation
  alignas(64) std::array<std::uint64_t, kLanes> exchange{};
  alignas(64) std::array<std::uint64_t, kLanes> addresses{};  ///< of the memory access in progress
  alignas(64) std::array<std::uint64_t, kLanes> destinations{};

  std::vector<std::byte> local;      ///< lane after lane
  std::uint32_t local_capacity = 0;  ///< bytes of one lane

  std::uint32_t live() const { return launched & ~exited; }
  std::uint32_t* words(std::uint32_t slot) { return reinterpret_cast<std::uint32_t*>(registers + slot); }
  std::uint64_t* pairs(std::uint32_t slot) { return reinterpret_cast<std::uint64_t*>(registers + slot); }
  std::uint32_t& predicate(std::uint32_t slot) { return *words(slot); }
};

}  // namespace gpuprobe::simt
