// Memory accesses in their general form: any space, lane by lane, with every check.
#pragma once

#include <cstdint>

#include "model/simt/block_run.h"

namespace gpuprobe::simt {

inline MemorySpace space_of(Window window) {
  switch (window) {
    case Window::kShared:
      return MemorySpace::kShared;
    case Window::kLocal:
      return MemorySpace::kLocal;
    case Window::kConst:
      return MemorySpace::kConst;
    case Window::kParam:
      return MemorySpace::kParam;
    default:
      return MemorySpace::kGlobal;
  }
}

// Handlers.
void load_general(Warp& warp, const MicroOp& op, std::uint32_t mask);
void store_general(Warp& warp, const MicroOp& op, std::uint32_t mask);
void atomic_general(Warp& warp, const MicroOp& op, std::uint32_t mask);
void async_copy(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// ld.param of a kernel parameter: the same value for every lane. op.immediate = byte offset, op.mode =
/// bytes.
void load_parameter(Warp& warp, const MicroOp& op, std::uint32_t mask);
/// ld.param / st.param of a call's parameter: one 64-bit column for each 8 bytes. op.immediate = byte in the
/// column.
void load_column(Warp& warp, const MicroOp& op, std::uint32_t mask);
void store_column(Warp& warp, const MicroOp& op, std::uint32_t mask);

/// Where the active lanes of an access are in host memory.
struct LanePointers {
  std::byte* lane[kLanes];
  Window window = Window::kGlobal;  ///< never kGeneric
  std::uint32_t mask = 0;
};
/// Resolves the lanes of `mask` whose address lies in the same window as that of the lowest one (generic
/// accesses can mix windows), checks bounds and alignment to `width`, and leaves addresses for the observer
/// in warp.addresses. False after a fault.
bool resolve_lanes(Warp& warp, const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses,
                   Window window, std::uint32_t width, LanePointers& pointers);

/// Sets the bits of the 4-byte words of [address, address + bytes).
void mark_written(const DeviceMemory::Allocation& allocation, std::uint64_t address, std::uint64_t bytes);

/// Sign- or zero-extends the low `element_bytes` of `value` for the register.
inline std::uint64_t extend_loaded(std::uint64_t value, const MemoryOp& memory) {
  if (!memory.sign_extend || memory.element_bytes == 8) return value;
  const int unused = 64 - 8 * memory.element_bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}
/// Lane `lane` of a data register of `bytes` (4 or 8).
inline std::uint64_t read_lane(Warp& warp, std::uint32_t slot, std::uint32_t bytes, int lane) {
  return bytes == 8 ? warp.pairs(slot)[lane] : warp.words(slot)[lane];
}
inline void write_lane(Warp& warp, std::uint32_t slot, std::uint32_t bytes, int lane, std::uint64_t value) {
  if (bytes == 8)
    warp.pairs(slot)[lane] = value;
  else
    warp.words(slot)[lane] = static_cast<std::uint32_t>(value);
}

}  // namespace gpuprobe::simt
