// Shadow memory for blocks in which every barrier joins all warps: two accesses are ordered exactly if a
// barrier lies between them, so the number of the barrier interval (the epoch) is all that has to be
// remembered. Kept as arrays, one for each field, so that a warp's access to neighbouring words is checked
// with vector instructions.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "model/hazards/shared_accesses.h"

namespace gpuprobe::hazards {

/// Who made an access: a static instruction and a warp of the block in one word.
class Accessor {
 public:
  static constexpr int kWarpBits = 5;
  static std::uint32_t pack(int instruction, int warp) {
    return static_cast<std::uint32_t>(instruction) << kWarpBits | static_cast<std::uint32_t>(warp);
  }
  static int instruction(std::uint32_t packed) { return static_cast<int>(packed >> kWarpBits); }
  static int warp(std::uint32_t packed) { return static_cast<int>(packed & ((1u << kWarpBits) - 1)); }
};

class EpochShadow {
 public:
  void begin_block(std::size_t pieces) {
    if (epoch_ > kMaxEpoch) restart();
    if (write_epoch_.size() < pieces) resize(pieces);
    block_epoch_ = ++epoch_;
    has_strong_reads_ = false;
  }
  void barrier() { ++epoch_; }

  bool is_written(std::size_t piece) const { return write_epoch_[piece] >= block_epoch_; }
  /// Warps that have written (or read) the piece in the current epoch, as bits.
  std::uint32_t current_writers(std::size_t piece) const {
    return write_epoch_[piece] == epoch_ ? writers_[piece] : 0;
  }
  bool current_writes_are_strong(std::size_t piece) const { return strong_[piece] != 0; }
  /// By weak reads.
  std::uint32_t current_readers(std::size_t piece) const {
    return read_epoch_[piece] == epoch_ ? readers_[piece] : 0;
  }
  std::uint32_t current_strong_readers(std::size_t piece) const {
    return strong_read_epoch_[piece] == epoch_ ? strong_readers_[piece] : 0;
  }
  int strong_read_instruction(std::size_t piece) const {
    return Accessor::instruction(strong_read_by_[piece]);
  }
  int write_instruction(std::size_t piece) const { return Accessor::instruction(write_by_[piece]); }
  /// An instruction by which `warp` read the piece, weakly, in the current epoch, or one by which another
  /// warp did.
  int read_instruction(std::size_t piece, int warp) const {
    return Accessor::instruction(Accessor::warp(read_by_[piece]) == warp ? read_by_[piece]
                                                                         : other_read_by_[piece]);
  }
  /// Replaces each piece by `parts` smaller ones with the same history.
  void split(std::size_t parts);

  void touch(const Touch& touch, ConflictLog& log) {
    if (writes(touch.use)) {
      write(touch, log);
    } else {
      read(touch, log);
    }
  }
  /// A weak read or write of `count` pieces from touch.piece on. False, and nothing done, if one of them
  /// conflicts.
  bool touch_run(const Touch& touch, std::size_t count);

 private:
  static constexpr std::int32_t kMaxEpoch = 0x70000000;

  void restart();
  void resize(std::size_t pieces);
  void read(const Touch& touch, ConflictLog& log);
  void write(const Touch& touch, ConflictLog& log);
  void read_of_nothing(const Touch& touch, ConflictLog& log) const;

  // Epochs count on over blocks, so that nothing has to be cleared between them. Signed: SSE2 compares those.
  std::int32_t epoch_ = 0;
  std::int32_t block_epoch_ = 0;
  std::vector<std::int32_t> write_epoch_;
  std::vector<std::uint32_t> writers_;   ///< warps that wrote in write_epoch_; several only if strong
  std::vector<std::uint32_t> write_by_;  ///< the latest of them
  std::vector<std::uint8_t> strong_;     ///< all writes of write_epoch_ were strong
  std::vector<std::int32_t> read_epoch_;
  std::vector<std::uint32_t> readers_;        ///< warps that read in read_epoch_, weakly
  std::vector<std::uint32_t> read_by_;        ///< the latest of them
  std::vector<std::uint32_t> other_read_by_;  ///< the latest that is of another warp than read_by_
  // Strong reads are kept apart: they conflict with weak writes only.
  bool has_strong_reads_ = false;  ///< in this block
  std::vector<std::int32_t> strong_read_epoch_;
  std::vector<std::uint32_t> strong_readers_;
  std::vector<std::uint32_t> strong_read_by_;
};

}  // namespace gpuprobe::hazards
