#include "model/hazards/epoch_shadow.h"

#include <algorithm>

namespace gpuprobe::hazards {
namespace {

template <class T>
void repeat(std::vector<T>& values, std::size_t parts) {
  std::vector<T> out;
  out.reserve(values.size() * parts);
  for (const T& value : values) out.insert(out.end(), parts, value);
  values = std::move(out);
}

}  // namespace

void EpochShadow::restart() {
  std::fill(write_epoch_.begin(), write_epoch_.end(), 0);
  std::fill(read_epoch_.begin(), read_epoch_.end(), 0);
  std::fill(strong_read_epoch_.begin(), strong_read_epoch_.end(), 0);
  epoch_ = 0;
}

void EpochShadow::resize(std::size_t pieces) {
  write_epoch_.resize(pieces);
  writers_.resize(pieces);
  write_by_.resize(pieces);
  strong_.resize(pieces);
  read_epoch_.resize(pieces);
  readers_.resize(pieces);
  read_by_.resize(pieces);
  other_read_by_.resize(pieces);
  strong_read_epoch_.resize(pieces);
  strong_readers_.resize(pieces);
  strong_read_by_.resize(pieces);
}

void EpochShadow::split(std::size_t parts) {
  repeat(write_epoch_, parts);
  repeat(writers_, parts);
  repeat(write_by_, parts);
  repeat(strong_, parts);
  repeat(read_epoch_, parts);
  repeat(readers_, parts);
  repeat(read_by_, parts);
  repeat(other_read_by_, parts);
  repeat(strong_read_epoch_, parts);
  repeat(strong_readers_, parts);
  repeat(strong_read_by_, parts);
}

void EpochShadow::read_of_nothing(const Touch& touch, ConflictLog& log) const {
  log.add({Conflict::kReadOfNothing, -1, touch.instruction, 1, touch.block, -1, touch.warp, touch.byte});
}

void EpochShadow::read(const Touch& touch, ConflictLog& log) {
  const std::size_t p = touch.piece;
  const std::uint32_t self = 1u << touch.warp;
  const bool strong = is_strong(touch.use);
  if (write_epoch_[p] < block_epoch_) {
    read_of_nothing(touch, log);
  } else if (write_epoch_[p] == epoch_ && (writers_[p] & ~self) != 0 && !(strong && strong_[p] != 0)) {
    log.add({Conflict::kReadAfterWrite, Accessor::instruction(write_by_[p]), touch.instruction, 1,
             touch.block, std::countr_zero(writers_[p] & ~self), touch.warp, touch.byte});
  }
  if (strong) {
    strong_readers_[p] = current_strong_readers(p) | self;
    strong_read_epoch_[p] = epoch_;
    strong_read_by_[p] = Accessor::pack(touch.instruction, touch.warp);
    has_strong_reads_ = true;
    return;
  }
  if (read_epoch_[p] != epoch_) {
    read_epoch_[p] = epoch_;
    readers_[p] = 0;
  } else if (Accessor::warp(read_by_[p]) != touch.warp) {
    other_read_by_[p] = read_by_[p];
  }
  readers_[p] |= self;
  read_by_[p] = Accessor::pack(touch.instruction, touch.warp);
}

void EpochShadow::write(const Touch& touch, ConflictLog& log) {
  const std::size_t p = touch.piece;
  const std::uint32_t self = 1u << touch.warp;
  const bool strong = is_strong(touch.use);
  if (touch.use == Use::kAtomic && write_epoch_[p] < block_epoch_) read_of_nothing(touch, log);
  const std::uint32_t strong_readers = strong ? 0 : current_strong_readers(p) & ~self;
  if ((current_readers(p) & ~self) != 0) {
    const std::uint32_t by = Accessor::warp(read_by_[p]) != touch.warp ? read_by_[p] : other_read_by_[p];
    log.add({Conflict::kWriteAfterRead, Accessor::instruction(by), touch.instruction, 1, touch.block,
             Accessor::warp(by), touch.warp, touch.byte});
  } else if (strong_readers != 0) {
    log.add({Conflict::kWriteAfterRead, strong_read_instruction(p), touch.instruction, 1, touch.block,
             std::countr_zero(strong_readers), touch.warp, touch.byte});
  }
  const bool current = write_epoch_[p] == epoch_;
  const bool all_strong = strong && strong_[p] != 0;
  if (current && (writers_[p] & ~self) != 0 && !all_strong)
    log.add({Conflict::kWriteAfterWrite, Accessor::instruction(write_by_[p]), touch.instruction, 1,
             touch.block, std::countr_zero(writers_[p] & ~self), touch.warp, touch.byte});
  writers_[p] = current && all_strong ? writers_[p] | self : self;
  strong_[p] = strong && (!current || all_strong);
  write_epoch_[p] = epoch_;
  write_by_[p] = Accessor::pack(touch.instruction, touch.warp);
}

bool EpochShadow::touch_run(const Touch& touch, std::size_t count) {
  if (is_strong(touch.use) || (has_strong_reads_ && touch.use == Use::kWrite)) return false;
  const std::size_t first = touch.piece;
  const std::uint32_t others = ~(1u << touch.warp);
  const std::uint32_t by = Accessor::pack(touch.instruction, touch.warp);
  const std::int32_t epoch = epoch_;
  const std::int32_t block_epoch = block_epoch_;
  const std::int32_t* write_epoch = write_epoch_.data() + first;
  const std::uint32_t* writers = writers_.data() + first;
  std::int32_t* read_epoch = read_epoch_.data() + first;
  std::uint32_t* readers = readers_.data() + first;

  std::uint32_t conflicts = 0;
  for (std::size_t i = 0; i < count; ++i) conflicts |= write_epoch[i] == epoch ? writers[i] & others : 0;
  if (touch.use == Use::kRead) {
    for (std::size_t i = 0; i < count; ++i) conflicts |= write_epoch[i] < block_epoch ? 1u : 0u;
    if (conflicts != 0) return false;
    std::uint32_t* read_by = read_by_.data() + first;
    std::uint32_t* other_read_by = other_read_by_.data() + first;
    constexpr std::uint32_t kWarpMask = (1u << Accessor::kWarpBits) - 1;
    const auto warp = static_cast<std::uint32_t>(touch.warp);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t known = read_epoch[i] == epoch ? readers[i] : 0;
      other_read_by[i] = (read_by[i] & kWarpMask) != warp ? read_by[i] : other_read_by[i];
      readers[i] = known | ~others;
      read_epoch[i] = epoch;
      read_by[i] = by;
    }
    return true;
  }
  for (std::size_t i = 0; i < count; ++i) conflicts |= read_epoch[i] == epoch ? readers[i] & others : 0;
  if (conflicts != 0) return false;
  std::fill_n(write_epoch_.begin() + static_cast<std::ptrdiff_t>(first), count, epoch);
  std::fill_n(writers_.begin() + static_cast<std::ptrdiff_t>(first), count, ~others);
  std::fill_n(write_by_.begin() + static_cast<std::ptrdiff_t>(first), count, by);
  std::fill_n(strong_.begin() + static_cast<std::ptrdiff_t>(first), count, std::uint8_t{0});
  return true;
}

}  // namespace gpuprobe::hazards
