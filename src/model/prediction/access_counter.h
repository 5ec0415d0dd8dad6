// Counts what the accesses of the executed blocks cost, instruction by instruction. One for each worker;
// merged after each group of blocks.
//
//   AccessCounter counter(plan, loads, stores);
//   ... as simt::Observer ...
//   for (auto& [block, records] : counter.take()) ...
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/site.h"
#include "model/prediction/touched_sectors.h"
#include "model/simt/machine.h"

namespace gpuprobe::prediction {

/// Sums over the warp-level executions of one instruction; `actual` and `ideal` in sectors or wavefronts.
struct AccessTotals {
  std::uint64_t requests = 0;
  std::uint64_t actual = 0;
  std::uint64_t ideal = 0;
  std::uint64_t lines = 0;
  std::uint64_t lanes = 0;
  std::uint64_t misaligned = 0;  ///< excess that a start on a 32-byte boundary would remove
  std::uint64_t same_word = 0;   ///< most lanes on one word, summed

  void add(const AccessTotals& other);
};

/// The execution with the largest excess, the first one in block order among equals.
struct WorstAccess {
  int excess = -1;
  std::uint64_t block = 0;
  LanePattern pattern;

  /// True if `other` is to be shown instead.
  bool loses_to(const WorstAccess& other) const {
    return other.excess > excess || (other.excess == excess && excess >= 0 && other.block < block);
  }
};

/// What one static instruction did to one kind of memory.
struct AccessRecord {
  int instruction = 0;
  AccessKind kind = AccessKind::kGlobalLoad;
  std::uint32_t width = 0;
  AccessTotals totals;
  WorstAccess worst;
};

/// The records of one block, or of many together.
class AccessRecords {
 public:
  /// The record of (instruction, kind, width), made if there is none.
  AccessRecord& at(int instruction, AccessKind kind, std::uint32_t width);
  void add(const AccessRecords& other);
  const std::vector<AccessRecord>& all() const { return records_; }

  /// A number that is equal for two blocks exactly if all their counts are (but for collisions), whatever the
  /// order in which their warps ran.
  std::uint64_t digest = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;

 private:
  std::vector<AccessRecord> records_;
  std::vector<int> slot_;  ///< by instruction: its latest record, -1 = none
};

/// How the accesses of an instruction are counted.
struct InstructionPlan {
  bool skipped = false;  ///< merged into an earlier load
  bool merged = false;   ///< stands for a merged load of `merged_width` bytes
  std::uint32_t merged_width = 0;
  std::int64_t merged_offset = 0;  ///< added to the addresses
  bool combines_lanes = false;     ///< a shared increment that counts the lanes of a word first
};

/// Several blocks may be open at a time.
class AccessCounter {
 public:
  /// `plan` has one entry for each static instruction and outlives the counter, as `loads` and `stores` do.
  AccessCounter(const std::vector<InstructionPlan>& plan, TouchedSectors& loads, TouchedSectors& stores)
      : plan_(plan), loads_(loads), stores_(stores) {}

  /// Whether the records of each block are kept apart, or all together.
  void keep_blocks_apart(bool apart) { apart_ = apart; }
  void begin_block(std::uint64_t block) { select(block); }
  void access(const simt::MemoryAccess& access);
  void block_work(std::uint64_t block, std::uint64_t warp_instructions, std::uint64_t lane_instructions);
  void end_block(std::uint64_t block);

  /// The records of the finished blocks, by block; or of all under block 0 if they are not kept apart.
  std::map<std::uint64_t, AccessRecords> take();
  /// Allocations (by number) that have been loaded from and stored to, as bits; the highest bit for all from
  /// 63 on.
  std::uint64_t loaded_allocations() const { return loaded_; }
  std::uint64_t stored_allocations() const { return stored_; }

 private:
  void select(std::uint64_t block);
  void global_access(const simt::MemoryAccess& access);
  void shared_access(const simt::MemoryAccess& access, const InstructionPlan& plan);
  void local_access(const simt::MemoryAccess& access);
  void count(int instruction, AccessKind kind, const AccessTotals& one);
  void fill(const std::uint64_t* addresses, std::uint32_t active, std::uint32_t width);

  const std::vector<InstructionPlan>& plan_;
  TouchedSectors& loads_;
  TouchedSectors& stores_;
  bool apart_ = true;
  std::map<std::uint64_t, AccessRecords> open_;
  std::map<std::uint64_t, AccessRecords> finished_;
  AccessRecords* current_ = nullptr;  ///< of block_
  LanePattern pattern_;
  std::uint64_t block_ = 0;
  std::uint64_t loaded_ = 0;
  std::uint64_t stored_ = 0;
};

}  // namespace gpuprobe::prediction
