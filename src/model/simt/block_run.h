// One block while it runs: its warps, its shared memory, its barriers. Resumable: run() returns when the
// block has ended, when it cannot go on by itself (it waits for what another block must write), or when its
// turn is over.
//
//   BlockRun block(launch_state, worker);
//   block.begin(17);                                   // linear index
//   while (block.run() == BlockRun::Status::kPaused) {}
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/simt/launch_state.h"
#include "model/simt/program_image.h"
#include "model/simt/warp.h"

namespace gpuprobe::simt {

class BlockRun {
 public:
  enum class Status {
    kDone,
    kPaused,   ///< turn is over
    kWaiting,  ///< every warp that could run repeats itself until memory changes
    kStopped,  ///< fault, error, dead-lock or time-out: the launch ends
  };

  BlockRun(LaunchState& launch, Worker& worker);
  BlockRun(const BlockRun&) = delete;
  BlockRun& operator=(const BlockRun&) = delete;
  ~BlockRun();

  void begin(std::uint64_t index);
  Status run();
  std::uint64_t index() const { return index_; }
  Dim3 coordinates() const { return coordinates_; }
  Dim3 thread(const Warp& warp, int lane) const;
  /// A change of memory by this block so far; equal numbers mean that it changed nothing in between.
  std::uint64_t changes() const;
  /// Where a warp of a waiting block repeats itself.
  std::int32_t waiting_pc() const { return warps_[first_waiting_].last_pc; }
  /// A long time has passed since it last changed memory.
  bool is_quiet() const { return quiet_; }
  /// Host memory that a suspended block keeps.
  std::size_t footprint() const;

  // What the handlers of micro-ops use.
  LaunchState& launch;
  Worker& worker;
  const ProgramImage& image;
  Observer* observer = nullptr;
  std::vector<std::byte> shared;   ///< window of the block, static then dynamic
  std::uint64_t instructions = 0;  ///< warp instructions of this block (brought up to date when a warp stops)
  std::uint64_t lane_instructions = 0;  ///< the same, counting active lanes
  std::uint64_t clock_reads = 0;        ///< reads of a clock: each finds a later time
  bool stop = false;                    ///< set by a fault or an error

  /// Tells the observer of the access whose addresses are in warp.addresses.
  void observe(Warp& warp, const MicroOp& op, MemorySpace space, std::uint32_t mask);
  /// An access that the GPU would answer with a fault: records the hazard and stops the launch.
  void fault(Warp& warp, const MicroOp& op, int lane, Window space, std::uint64_t address, bool misaligned);
  /// An error of the kernel or of the machine: ends the launch.
  void error(ErrorCode code, const MicroOp& op, const std::string& what, const std::string& hint);
  /// A phase of an mbarrier has ended: what was done before it is seen by all that wait for it. The observer
  /// is told of a barrier of the whole block, which never takes an ordered access for a race.
  void phase_ended();
  /// Makes a lane's local memory at least `bytes` large.
  void grow_local(Warp& warp, std::uint32_t bytes);

 private:
  enum class WarpStatus { kDone, kBlocked, kSpinning, kTurnOver, kStopped };
  enum class SpinResult { kGoOn, kDefer };

  struct Barrier {
    std::uint32_t arrived_lanes = 0;    ///< threads that wait or have arrived
    std::uint32_t arrived_threads = 0;  ///< the same, a whole warp counting 32 as the hardware does
    std::uint32_t expected = 0;         ///< threads; 0 = all of the block
    std::uint32_t popc = 0;             ///< reduction over the predicates
    std::vector<bool> warps;
    std::vector<std::pair<int, std::int32_t>> places;  ///< (warp, micro-op) of each arrival
    bool used = false;
  };

  // control.cpp: one warp until it stops
  void reset_warp(Warp& warp);
  WarpStatus run_warp(Warp& warp, std::int64_t budget);
  /// kFollowed tells the observer of each instruction: apart, so that it costs the others nothing.
  template <bool kFollowed>
  WarpStatus run_warp_as(Warp& warp, std::int64_t budget);
  /// The split that is furthest behind, merged with all at its place; `threshold` is the position at which
  /// another one has to run first. False if none is ready.
  bool take_ready(Warp& warp, Split& split, std::int32_t& threshold);
  void divide(Warp& warp, const Split& split, const MicroOp& op, std::uint32_t taken);
  bool branch_table(Warp& warp, const Split& split, const MicroOp& op, std::uint32_t mask);
  /// Lanes of the split that a guard switched off go on behind the instruction; the split keeps `mask`.
  void set_aside(Warp& warp, Split& split, std::uint32_t mask);
  void exit_lanes(Warp& warp, std::int32_t activation, std::uint32_t mask);
  SpinResult watch_spin(Warp& warp, const Split& split, std::int32_t pc);
  void forget_deferred(Warp& warp);
  std::int32_t position_of(std::int32_t pc) const {
    return image.code[static_cast<std::size_t>(pc)].position;
  }

  // calls.cpp
  bool call(Warp& warp, Split& split, const MicroOp& op, int callee, std::uint32_t mask);
  bool call_indirect(Warp& warp, Split& split, const MicroOp& op, std::uint32_t mask);
  void return_from(Warp& warp, Split& split, std::uint32_t mask);
  /// Lanes have left a call, by return or by exit.
  void drop_from_activation(Warp& warp, std::int32_t activation, std::uint32_t mask);
  void assert_failed(Warp& warp, const MicroOp& op, std::uint32_t mask);

  // synchronise.cpp
  bool warp_sync(Warp& warp, Split& split, const MicroOp& op, std::uint32_t mask);
  void complete_warp_sync(Warp& warp, std::uint32_t members, std::uint32_t required);
  void check_warp_waits(Warp& warp);
  bool barrier(Warp& warp, Split& split, const MicroOp& op, std::uint32_t mask);
  void check_barrier(int id);
  void check_barriers();
  void check_divergence(Warp& warp, int barrier_id);
  void report_divergence(Warp& warp, std::int32_t barrier_pc, std::int32_t other_pc);
  void report_deadlock();
  std::string whereabouts(const Warp& warp, Location& location) const;

  void fill_specials(Warp& warp);     ///< those that never change
  void fill_coordinates(Warp& warp);  ///< those of the block

  std::vector<Warp> warps_;
  std::byte* register_store_ = nullptr;
  std::size_t register_store_bytes_ = 0;
  std::array<Barrier, 17> barriers_;  ///< 0 to 15, and that of the cluster
  int barriers_used_ = 0;
  std::uint64_t index_ = 0;
  Dim3 coordinates_{0, 0, 0};
  std::uint32_t live_lanes_ = 0;
  std::size_t unfinished_ = 0;
  std::size_t next_warp_ = 0;
  std::size_t first_waiting_ = 0;
  std::uint64_t quiet_since_ = 0;  ///< instruction count at the last change of memory
  std::uint64_t quiet_changes_ = 0;
  bool quiet_ = false;     ///< a whole turn went by without a change of memory
  bool followed_ = false;  ///< the observer wants to know each instruction
};

}  // namespace gpuprobe::simt
