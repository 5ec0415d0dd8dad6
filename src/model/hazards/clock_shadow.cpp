#include "model/hazards/clock_shadow.h"

namespace gpuprobe::hazards {
namespace {

template <class Cell>
std::vector<Cell> repeated(const std::vector<Cell>& cells, std::size_t parts) {
  std::vector<Cell> out;
  out.reserve(cells.size() * parts);
  for (const Cell& cell : cells) out.insert(out.end(), parts, cell);
  return out;
}

}  // namespace

ClockShadow::ClockShadow(int warps, std::size_t pieces, const EpochShadow& from)
    : clocks_(warps), cells_(pieces) {
  // Everything of earlier epochs is ordered before all that comes; the current epoch becomes interval 1.
  for (std::size_t piece = 0; piece < cells_.size(); ++piece) {
    Cell& cell = cells_[piece];
    cell.written = from.is_written(piece);
    const std::uint32_t writers = from.current_writers(piece);
    const std::uint32_t readers = from.current_readers(piece);
    const std::uint32_t strong_readers = from.current_strong_readers(piece);
    cell.write_instruction = cell.strong_write_instruction = from.write_instruction(piece);
    cell.strong_read_instruction = from.strong_read_instruction(piece);
    Times& write = from.current_writes_are_strong(piece) ? cell.strong_write : cell.write;
    for (int w = 0; w < warps; ++w) {
      const auto i = static_cast<std::size_t>(w);
      if (writers >> w & 1) write[i] = 1;
      if (strong_readers >> w & 1) cell.strong_read[i] = 1;
      if (!(readers >> w & 1)) continue;
      cell.read[i] = 1;
      cell.read_instruction[i] = from.read_instruction(piece, w);
    }
  }
}

void ClockShadow::split(std::size_t parts) {
  cells_ = repeated(cells_, parts);
}

int ClockShadow::unordered(const Times& times, int warp) const {
  for (int v = 0; v < clocks_.warps(); ++v)
    if (v != warp && !clocks_.is_before(v, times[static_cast<std::size_t>(v)], warp)) return v;
  return -1;
}

void ClockShadow::touch(const Touch& touch, ConflictLog& log) {
  Cell& cell = cells_[touch.piece];
  const int warp = touch.warp;
  const auto self = static_cast<std::size_t>(warp);
  const bool strong = is_strong(touch.use);
  const auto add = [&](Conflict conflict, int instruction, int other) {
    log.add({conflict, instruction, touch.instruction, 1, touch.block, other, warp, touch.byte});
  };
  const auto add_after_write = [&](Conflict conflict) {
    if (const int writer = unordered(cell.write, warp); writer >= 0) {
      add(conflict, cell.write_instruction, writer);
    } else if (const int other = strong ? -1 : unordered(cell.strong_write, warp); other >= 0) {
      add(conflict, cell.strong_write_instruction, other);
    }
  };
  const std::uint32_t now = clocks_.now(warp);
  const bool reads = !writes(touch.use) || touch.use == Use::kAtomic;
  if (reads && !cell.written) add(Conflict::kReadOfNothing, -1, -1);
  if (!writes(touch.use)) {
    add_after_write(Conflict::kReadAfterWrite);
    (strong ? cell.strong_read : cell.read)[self] = now;
    if (strong) {
      cell.strong_read_instruction = touch.instruction;
    } else {
      cell.read_instruction[self] = touch.instruction;
    }
    return;
  }
  if (const int reader = unordered(cell.read, warp); reader >= 0) {
    add(Conflict::kWriteAfterRead, cell.read_instruction[static_cast<std::size_t>(reader)], reader);
  } else if (const int other = strong ? -1 : unordered(cell.strong_read, warp); other >= 0) {
    add(Conflict::kWriteAfterRead, cell.strong_read_instruction, other);
  }
  add_after_write(Conflict::kWriteAfterWrite);
  cell.written = true;
  if (strong) {
    cell.strong_write[self] = now;
    cell.strong_write_instruction = touch.instruction;
    return;
  }
  cell.read.fill(0);
  cell.write.fill(0);
  cell.strong_read.fill(0);
  cell.strong_write.fill(0);
  cell.write[self] = now;
  cell.write_instruction = touch.instruction;
}

}  // namespace gpuprobe::hazards
