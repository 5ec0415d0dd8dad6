// Finds races on shared memory and reads of shared memory that nobody wrote, from the accesses and barriers
// of a block in whatever order its warps were executed: two accesses of different warps to one word, at least
// one of them a store and at least one of them weak, are a race if no chain of barriers, of releases and
// acquires orders them. Accesses of one warp count as ordered. Strong accesses (volatile, relaxed, acquire,
// release, atomic) do not race with each other; alone they order nothing, only with a release and an acquire
// or with fences: a flag or a lock without these protects nothing. Words are told apart by byte as soon as a
// kernel uses accesses narrower than a word.
//
//   RaceDetector races(warps_per_block);                  // one for each worker
//   ... races.begin_block / access / barrier / end_block as the machine calls them ...
//   std::vector<Hazard> found = shared_hazards(all_records, [&](int i) { return program->instruction(i); });
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/hazards/clock_shadow.h"
#include "model/hazards/epoch_shadow.h"
#include "model/hazards/shared_accesses.h"
#include "model/simt/machine.h"

namespace gpuprobe::hazards {

class RaceDetector final : public simt::Observer {
 public:
  explicit RaceDetector(int warps_per_block) : warps_(warps_per_block) {}

  void begin_block(std::uint64_t block, std::uint32_t shared_bytes) override;
  /// Outside shared memory only what strong accesses order matters.
  void access(const simt::MemoryAccess& access) override;
  void barrier(std::uint64_t block, int barrier_id, const std::vector<bool>& warps) override;
  void warp_sync(std::uint64_t, int, std::uint32_t) override {
  }  // the accesses of a warp count as ordered anyway
  void fence(std::uint64_t, int warp, simt::MemoryOrder order) override;
  void end_block(std::uint64_t) override {}

  const std::vector<ConflictRecord>& records() const { return log_.records(); }

 private:
  void touch_lanes(const simt::MemoryAccess& access, const std::uint64_t* addresses, std::uint32_t active,
                   std::uint32_t width, Use use);
  /// The whole warp on neighbouring pieces or on one: true if that is so and nothing conflicts, so that all
  /// is done.
  bool touch_run(Touch& touch, const std::uint64_t* addresses, std::uint32_t width);
  void split_words();
  /// From here on in this block by clocks.
  ClockShadow& clocks();
  /// What a strong access takes over from others, before it counts as happened, and hands on to them, after.
  void take_over(const simt::MemoryAccess& access);
  void hand_on(const simt::MemoryAccess& access);
  std::size_t pieces() const { return static_cast<std::size_t>(shared_bytes_ >> piece_shift_) + 1; }

  int warps_;
  std::uint64_t shared_bytes_ = 0;
  int piece_shift_ = 2;  ///< log2 of the bytes of a piece: a word until a narrower access is seen
  EpochShadow epochs_;
  std::optional<ClockShadow> clocks_;  ///< once more than barriers of all warps orders the current block
  ConflictLog log_;
};

/// One hazard for each pair of source lines (and each line that reads what nobody wrote), most frequent
/// first. For a race the locations are the two lines: where one order of the lines was seen to be a read and
/// then the store that destroys what it reads, in that order, else in the order of execution.
std::vector<Hazard> shared_hazards(std::span<const ConflictRecord> records,
                                   const std::function<const simt::InstructionInfo&(int)>& instruction);

}  // namespace gpuprobe::hazards
