#include "model/hazards/clock_shadow.h"

#include <algorithm>

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
    : warps_(warps), cells_(pieces) {
  for (int w = 0; w < warps_; ++w) clocks_[w][w] = 1;
  // Everything of earlier epochs is ordered before all that comes; the current epoch becomes interval 1.
  for (std::size_t piece = 0; piece < cells_.size(); ++piece) {
    Cell& cell = cells_[piece];
    cell.written = from.is_written(piece);
    const std::uint32_t writers = from.current_writers(piece);
    const std::uint32_t readers = from.current_readers(piece);
    cell.write_instruction = cell.atomic_instruction = from.write_instruction(piece);
    for (int w = 0; w < warps_; ++w) {
      if (writers >> w & 1) (from.current_writes_are_atomic(piece) ? cell.atomic : cell.write)[w] = 1;
      if (!(readers >> w & 1)) continue;
      cell.read[w] = 1;
      cell.read_instruction[w] = from.read_instruction(piece, w);
    }
  }
}

void ClockShadow::barrier(const std::vector<bool>& joined) {
  const auto joins = [&](int w) { return static_cast<std::size_t>(w) < joined.size() && joined[w]; };
  Times all{};
  for (int w = 0; w < warps_; ++w)
    if (joins(w))
      for (int v = 0; v < warps_; ++v) all[v] = std::max(all[v], clocks_[w][v]);
  for (int w = 0; w < warps_; ++w)
    if (joins(w)) {
      clocks_[w] = all;
      ++clocks_[w][w];
    }
}

void ClockShadow::split(std::size_t parts) {
  cells_ = repeated(cells_, parts);
}

int ClockShadow::unordered(const Times& times, int warp) const {
  for (int v = 0; v < warps_; ++v)
    if (v != warp && times[v] > clocks_[warp][v]) return v;
  return -1;
}

void ClockShadow::touch(const Touch& touch, ConflictLog& log) {
  Cell& cell = cells_[touch.piece];
  const int warp = touch.warp;
  const auto add = [&](Conflict conflict, int instruction, int other) {
    log.add({conflict, instruction, touch.instruction, 1, touch.block, other, warp, touch.byte});
  };
  const int writer = unordered(cell.write, warp);
  const int atomic_writer = touch.use == Use::kAtomic ? -1 : unordered(cell.atomic, warp);
  const std::uint32_t now = clocks_[warp][warp];
  if (touch.use != Use::kWrite && !cell.written) add(Conflict::kReadOfNothing, -1, -1);
  if (touch.use == Use::kRead) {
    if (writer >= 0) {
      add(Conflict::kReadAfterWrite, cell.write_instruction, writer);
    } else if (atomic_writer >= 0) {
      add(Conflict::kReadAfterWrite, cell.atomic_instruction, atomic_writer);
    }
    cell.read[warp] = now;
    cell.read_instruction[warp] = touch.instruction;
    return;
  }
  const int reader = unordered(cell.read, warp);
  if (reader >= 0) add(Conflict::kWriteAfterRead, cell.read_instruction[reader], reader);
  if (writer >= 0) {
    add(Conflict::kWriteAfterWrite, cell.write_instruction, writer);
  } else if (atomic_writer >= 0) {
    add(Conflict::kWriteAfterWrite, cell.atomic_instruction, atomic_writer);
  }
  cell.written = true;
  if (touch.use == Use::kAtomic) {
    cell.atomic[warp] = now;
    cell.atomic_instruction = touch.instruction;
    return;
  }
  cell.read.fill(0);
  cell.write.fill(0);
  cell.atomic.fill(0);
  cell.write[warp] = now;
  cell.write_instruction = touch.instruction;
}

}  // namespace gpuprobe::hazards
