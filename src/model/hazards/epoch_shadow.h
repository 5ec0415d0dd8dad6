// Shadow memory for blocks in which every barrier joins all warps: two accesses are ordered exactly if a
// barrier lies between them, so the number of the barrier interval (the epoch) is all that has to be
// remembered.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "model/hazards/shared_accesses.h"

namespace gpuprobe::hazards {

class EpochShadow {
 public:
  /// State of one piece. Epochs count on over blocks, so that nothing has to be cleared between them.
  struct Cell {
    std::uint32_t write_epoch = 0;
    std::uint32_t writers = 0;  ///< warps that wrote in write_epoch; several only by atomics
    std::int32_t write_instruction = -1;
    std::uint32_t read_epoch = 0;
    std::uint32_t readers = 0;  ///< warps that read in read_epoch
    std::int32_t read_instruction = -1;
    std::int32_t other_read_instruction = -1;  ///< of the latest reader that is not read_warp
    std::uint8_t read_warp = 0;
    std::uint8_t other_read_warp = 0;
    bool atomic = false;  ///< all writes of write_epoch were atomic
  };

  void begin_block(std::size_t pieces) {
    if (epoch_ > kMaxEpoch) restart();
    if (cells_.size() < pieces) cells_.resize(pieces);
    block_epoch_ = ++epoch_;
  }
  void barrier() { ++epoch_; }

  bool is_written(std::size_t piece) const { return cells_[piece].write_epoch >= block_epoch_; }
  bool is_current_write(const Cell& cell) const { return cell.write_epoch == epoch_; }
  bool is_current_read(const Cell& cell) const { return cell.read_epoch == epoch_; }
  const Cell& cell(std::size_t piece) const { return cells_[piece]; }
  /// Replaces each piece by `parts` smaller ones with the same history.
  void split(std::size_t parts);

  void touch(const Touch& touch, ConflictLog& log) {
    Cell& cell = cells_[touch.piece];
    const std::uint32_t self = 1u << touch.warp;
    if (touch.use == Use::kRead) {
      read(cell, touch, self, log);
    } else {
      write(cell, touch, self, log);
    }
  }

 private:
  static constexpr std::uint32_t kMaxEpoch = 0xF0000000u;

  void restart();

  static void read_of_nothing(const Touch& touch, ConflictLog& log) {
    log.add({Conflict::kReadOfNothing, -1, touch.instruction, 1, touch.block, -1, touch.warp, touch.byte});
  }

  void read(Cell& cell, const Touch& touch, std::uint32_t self, ConflictLog& log) {
    if (cell.write_epoch < block_epoch_) {
      read_of_nothing(touch, log);
    } else if (cell.write_epoch == epoch_ && (cell.writers & ~self) != 0) {
      log.add({Conflict::kReadAfterWrite, cell.write_instruction, touch.instruction, 1, touch.block,
               std::countr_zero(cell.writers & ~self), touch.warp, touch.byte});
    }
    if (cell.read_epoch != epoch_) {
      cell.read_epoch = epoch_;
      cell.readers = 0;
    } else if (cell.read_warp != touch.warp) {
      cell.other_read_instruction = cell.read_instruction;
      cell.other_read_warp = cell.read_warp;
    }
    cell.readers |= self;
    cell.read_instruction = touch.instruction;
    cell.read_warp = static_cast<std::uint8_t>(touch.warp);
  }

  void write(Cell& cell, const Touch& touch, std::uint32_t self, ConflictLog& log) {
    const bool atomic = touch.use == Use::kAtomic;
    if (atomic && cell.write_epoch < block_epoch_) read_of_nothing(touch, log);
    if (cell.read_epoch == epoch_ && (cell.readers & ~self) != 0) {
      const bool latest = cell.read_warp != touch.warp;
      log.add({Conflict::kWriteAfterRead, latest ? cell.read_instruction : cell.other_read_instruction,
               touch.instruction, 1, touch.block, latest ? cell.read_warp : cell.other_read_warp, touch.warp,
               touch.byte});
    }
    const bool current = cell.write_epoch == epoch_;
    if (current && (cell.writers & ~self) != 0 && !(atomic && cell.atomic))
      log.add({Conflict::kWriteAfterWrite, cell.write_instruction, touch.instruction, 1, touch.block,
               std::countr_zero(cell.writers & ~self), touch.warp, touch.byte});
    cell.writers = current && atomic && cell.atomic ? cell.writers | self : self;
    cell.atomic = atomic && (!current || cell.atomic);
    cell.write_epoch = epoch_;
    cell.write_instruction = touch.instruction;
  }

  std::vector<Cell> cells_;
  std::uint32_t epoch_ = 0;
  std::uint32_t block_epoch_ = 0;
};

}  // namespace gpuprobe::hazards
