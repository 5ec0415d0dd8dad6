// Handlers of moves and machine registers that need no vector form.
#pragma once

#include "model/simt/block_run.h"

namespace gpuprobe::simt {

/// dst = local_base (slot a) + immediate.
template <class T>
void local_address(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint32_t* base = warp.words(op.a);
  T* dst = reinterpret_cast<T*>(warp.registers + op.dst);
  for (int i = 0; i < kLanes; ++i)
    dst[i] = (mask >> i & 1) != 0 ? static_cast<T>(base[i] + op.immediate) : dst[i];
}

/// The number of warp instructions that the block has executed: rises like a clock, and is the same in every
/// run. op.mode 1: its upper half.
template <class T>
void read_clock(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint64_t now = ++warp.block->clock_reads * 16 + warp.block->instructions;
  T* dst = reinterpret_cast<T*>(warp.registers + op.dst);
  for (int i = 0; i < kLanes; ++i)
    dst[i] = (mask >> i & 1) != 0 ? static_cast<T>(op.mode != 0 ? now >> 32 : now) : dst[i];
}

void move_128(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// dst (op.extra bytes) from op.slots of op.mode bytes each, the first lowest; and back.
void pack(Warp& warp, const MicroOp& op, std::uint32_t mask);
void unpack(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// 64-bit dst = a + immediate.
void add_immediate(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// Predicate: is the generic address in the window op.immediate (0 = global; op.mode 1 = a constant
/// variable).
void is_space(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// Any conversion, lane by lane. op.immediate: see ConvertOp.
void convert_general(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// vprintf and the like: 0 in the first 64-bit result column dst.
void return_zero(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// fence, membar: the block's accesses happen one after the other anyway, so only the observer is told.
/// op.mode: 1 acquires, 2 releases, 3 both.
void report_fence(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// Nothing at all: prefetches, hints.
void no_operation(Warp& warp, const MicroOp& op, std::uint32_t mask);

/// What convert_general needs, packed into op.immediate.
struct ConvertOp {
  Type to = Type::kU32;
  Type from = Type::kU32;
  Rounding rounding = Rounding::kNearest;
  bool to_integral = false;   ///< float to float of the same size: round to an integer
  std::uint8_t to_bytes = 4;  ///< of the registers
  std::uint8_t from_bytes = 4;
  bool finite = false;  ///< .satfinite
  std::uint8_t unused = 0;
};

}  // namespace gpuprobe::simt
