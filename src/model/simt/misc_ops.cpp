#include "model/simt/misc_ops.h"

#include <bit>

#include "model/simt/memory.h"

namespace gpuprobe::simt {

void move_128(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  for (std::uint32_t plane = 0; plane < 2; ++plane) {
    const std::uint64_t* a = warp.pairs(op.a + plane * kLanes * 8);
    std::uint64_t* dst = warp.pairs(op.dst + plane * kLanes * 8);
    for (int i = 0; i < kLanes; ++i) dst[i] = (mask >> i & 1) != 0 ? a[i] : dst[i];
  }
}

void pack(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto& slots = *op.slots;
  const int bits = op.mode * 8;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    if (op.extra == 16) {
      // Two halves of 64 bits, or four of 32.
      for (std::uint32_t plane = 0; plane < 2; ++plane) {
        std::uint64_t value = 0;
        if (op.mode == 8)
          value = warp.pairs(slots[plane])[i];
        else
          value = warp.words(slots[2 * plane])[i] | std::uint64_t{warp.words(slots[2 * plane + 1])[i]} << 32;
        warp.pairs(op.dst + plane * kLanes * 8)[i] = value;
      }
      continue;
    }
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < slots.size(); ++k) {
      std::uint64_t part = warp.words(slots[k])[i];
      if (op.mode < 4) part &= (std::uint64_t{1} << bits) - 1;
      value |= part << (static_cast<int>(k) * bits);
    }
    write_lane(warp, op.dst, op.extra == 8 ? 8 : 4, i, value);
  }
}

void unpack(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const auto& slots = *op.slots;
  const int bits = op.mode * 8;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    std::uint64_t planes[2] = {};
    if (op.extra == 16) {
      planes[0] = warp.pairs(op.a)[i];
      planes[1] = warp.pairs(op.a + kLanes * 8)[i];
    } else {
      planes[0] = read_lane(warp, op.a, op.extra == 8 ? 8 : 4, i);
    }
    for (std::size_t k = 0; k < slots.size(); ++k) {
      if (slots[k] == kNoSlot) continue;
      const int at = static_cast<int>(k) * bits;
      std::uint64_t part = planes[at / 64] >> (at % 64);
      if (op.mode < 8) part &= (std::uint64_t{1} << bits) - 1;
      write_lane(warp, slots[k], op.mode == 8 ? 8 : 4, i, part);
    }
  }
}

void add_immediate(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint64_t* a = warp.pairs(op.a);
  std::uint64_t* dst = warp.pairs(op.dst);
  for (int i = 0; i < kLanes; ++i) dst[i] = (mask >> i & 1) != 0 ? a[i] + op.immediate : dst[i];
}

void is_space(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const std::uint64_t* a = warp.pairs(op.a);
  std::uint32_t result = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    bool inside = (a[i] & kWindowMask) == op.immediate;
    if (op.immediate == 0) inside = a[i] >= kGlobalBase && op.mode == 0;
    result |= inside ? 1u << i : 0u;
  }
  std::uint32_t& dst = warp.predicate(op.dst);
  dst = (dst & ~mask) | result;
}

void return_zero(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  if (op.dst == kNoSlot) return;
  std::uint64_t* dst = warp.pairs(op.dst);
  for (int i = 0; i < kLanes; ++i) dst[i] = (mask >> i & 1) != 0 ? 0 : dst[i];
}

void report_fence(Warp& warp, const MicroOp& op, std::uint32_t) {
  BlockRun& block = *warp.block;
  if (block.observer != nullptr)
    block.observer->fence(block.index(), warp.index, {true, (op.mode & 1) != 0, (op.mode & 2) != 0});
}

void no_operation(Warp&, const MicroOp&, std::uint32_t) {}

}  // namespace gpuprobe::simt
