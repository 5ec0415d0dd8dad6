// What the shared-memory checks keep for each piece of shared memory, and what they report.
#pragma once

#include <cstdint>
#include <vector>

namespace gpuprobe::hazards {

enum class Conflict : std::uint8_t {
  kReadAfterWrite,  ///< a read that no barrier orders after another warp's store
  kWriteAfterRead,  ///< a store that no barrier orders after another warp's read
  kWriteAfterWrite,
  kReadOfNothing,  ///< a read of what no thread of the block has written
};

/// Conflicts between two static instructions, counted, with the first one in detail.
struct ConflictRecord {
  Conflict conflict = Conflict::kReadAfterWrite;
  int earlier_instruction = -1;  ///< in execution order; -1 for kReadOfNothing
  int later_instruction = -1;
  std::uint64_t count = 0;  ///< lane accesses
  std::uint64_t block = 0;
  int earlier_warp = -1;
  int later_warp = -1;
  std::uint64_t byte = 0;  ///< offset in the block's shared memory
};

/// One record for each (conflict, earlier, later). Bounded: what comes after kMaxRecords kinds is dropped.
class ConflictLog {
 public:
  static constexpr std::size_t kMaxRecords = 256;

  void add(const ConflictRecord& seen) {
    if (last_ < records_.size() && same(records_[last_], seen)) {
      ++records_[last_].count;
      return;
    }
    for (last_ = 0; last_ < records_.size(); ++last_)
      if (same(records_[last_], seen)) {
        ++records_[last_].count;
        return;
      }
    if (records_.size() == kMaxRecords) return;
    records_.push_back(seen);
    records_.back().count = 1;
  }
  const std::vector<ConflictRecord>& records() const { return records_; }

 private:
  static bool same(const ConflictRecord& a, const ConflictRecord& b) {
    return a.conflict == b.conflict && a.earlier_instruction == b.earlier_instruction &&
           a.later_instruction == b.later_instruction;
  }

  std::vector<ConflictRecord> records_;
  std::size_t last_ = 0;
};

/// Strong accesses (volatile, relaxed, acquire, release; atomics read and write) do not race with each other.
enum class Use : std::uint8_t { kRead, kWrite, kStrongRead, kStrongWrite, kAtomic };
constexpr bool writes(Use use) {
  return use != Use::kRead && use != Use::kStrongRead;
}
constexpr bool is_strong(Use use) {
  return use != Use::kRead && use != Use::kWrite;
}

/// One piece (a word or a byte) touched by one lane.
struct Touch {
  std::uint32_t piece = 0;
  int warp = 0;
  int instruction = 0;
  Use use = Use::kRead;
  std::uint64_t block = 0;
  std::uint64_t byte = 0;
};

}  // namespace gpuprobe::hazards
