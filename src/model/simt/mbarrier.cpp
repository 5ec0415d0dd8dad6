#include "model/simt/mbarrier.h"

#include <bit>
#include <cstring>

#include "model/simt/memory.h"

namespace gpuprobe::simt {
namespace {

constexpr std::uint64_t kCountMask = (1u << 20) - 1;
constexpr int kEveryShift = 20;
constexpr int kBytesShift = 40;
constexpr std::uint64_t kBytesMask = (1u << 22) - 1;
constexpr std::int64_t kNoBytes = 1 << 20;
constexpr std::uint64_t kInitialised = std::uint64_t{1} << 62;
constexpr int kParityShift = 63;

/// An object unpacked.
struct Phase {
  std::int64_t pending = 0;
  std::int64_t every = 0;
  std::int64_t bytes = 0;
  std::uint64_t parity = 0;

  explicit Phase(std::uint64_t object)
      : pending(static_cast<std::int64_t>(object & kCountMask)),
        every(static_cast<std::int64_t>(object >> kEveryShift & kCountMask)),
        bytes(static_cast<std::int64_t>(object >> kBytesShift & kBytesMask) - kNoBytes),
        parity(object >> kParityShift) {}

  std::uint64_t object() const {
    return static_cast<std::uint64_t>(pending) | static_cast<std::uint64_t>(every) << kEveryShift |
           static_cast<std::uint64_t>(bytes + kNoBytes) << kBytesShift | kInitialised |
           parity << kParityShift;
  }
  bool is_sound() const { return pending >= 0 && every >= 0 && bytes > -kNoBytes && bytes <= kNoBytes; }
};

/// Changes `phase`; true if the phase has ended by it.
bool change(Phase& phase, MbarrierOp what, std::uint32_t amount) {
  switch (what) {
    case MbarrierOp::kArriveDrop:
      phase.every -= amount;
      [[fallthrough]];
    case MbarrierOp::kArrive:
      phase.pending -= amount;
      break;
    case MbarrierOp::kArriveExpect:
      phase.bytes += amount;
      phase.pending -= 1;
      break;
    case MbarrierOp::kExpect:
      phase.bytes += amount;
      return false;
    default:
      phase.bytes -= amount;
      break;
  }
  if (phase.pending != 0 || phase.bytes != 0) return false;
  phase.pending = phase.every;
  phase.parity ^= 1;
  return true;
}

void set_lane(Warp& warp, std::uint32_t slot, int lane, bool value) {
  std::uint32_t& predicate = warp.predicate(slot);
  predicate = (predicate & ~(1u << lane)) | (value ? 1u << lane : 0u);
}

/// One lane's operation on the object at `at`. False if it is an error of the kernel.
bool operate(Warp& warp, const MicroOp& op, std::byte* at, int lane) {
  const MemoryOp& memory = *op.memory;
  const auto what = static_cast<MbarrierOp>(op.mode);
  std::uint64_t object = 0;
  std::memcpy(&object, at, sizeof object);
  const std::uint32_t amount = memory.data[0] == kNoSlot ? 1 : warp.words(memory.data[0])[lane];
  const auto store = [&](std::uint64_t next) {
    std::memcpy(at, &next, sizeof next);
    if (next != object) ++warp.changes;
  };
  if (what == MbarrierOp::kInit) {
    if (amount == 0 || amount > kCountMask) {
      warp.block->error(ErrorCode::kKernel, op,
                        "an mbarrier for " + std::to_string(amount) + " arrivals does not exist",
                        "the count is 1 to 1048575");
      return false;
    }
    Phase phase(0);
    phase.pending = phase.every = amount;
    phase.bytes = 0;
    store(phase.object());
    return true;
  }
  if ((object & kInitialised) == 0) {
    warp.block->error(ErrorCode::kKernel, op, "the mbarrier is used before mbarrier.init",
                      "initialise it by one thread, then synchronise the block");
    return false;
  }
  if (what == MbarrierOp::kInvalidate) {
    store(0);
    return true;
  }
  Phase phase(object);
  if (what == MbarrierOp::kTestState || what == MbarrierOp::kTestParity) {
    const std::uint64_t waited =
        what == MbarrierOp::kTestParity ? amount & 1 : warp.pairs(memory.compare)[lane] >> kParityShift;
    set_lane(warp, op.dst, lane, phase.parity != waited);
    return true;
  }
  const bool ended = change(phase, what, amount);
  if (!phase.is_sound()) {
    warp.block->error(ErrorCode::kKernel, op, "more arrives at the mbarrier than it was initialised for",
                      "its count is the number of arrivals of one phase");
    return false;
  }
  store(phase.object());
  if (op.dst != kNoSlot) warp.pairs(op.dst)[lane] = object;
  if (ended) warp.block->phase_ended();
  return true;
}

}  // namespace

void mbarrier(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  std::uint64_t addresses[kLanes];
  for (int i = 0; i < kLanes; ++i)
    addresses[i] = memory.address_64
                       ? warp.pairs(memory.address)[i] + static_cast<std::uint64_t>(memory.offset)
                       : static_cast<std::uint32_t>(warp.words(memory.address)[i] +
                                                    static_cast<std::uint32_t>(memory.offset));
  LanePointers pointers;
  if (!resolve_lanes(warp, op, mask, addresses, memory.window, memory.width(), pointers)) return;
  if (pointers.window != Window::kShared || pointers.mask != mask) {
    warp.block->error(ErrorCode::kKernel, op, "the mbarrier is not in shared memory",
                      "declare it __shared__");
    return;
  }
  for (std::uint32_t rest = mask; rest != 0 && !warp.block->stop; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (!operate(warp, op, pointers.lane[lane], lane)) return;
  }
}

void mbarrier_pending(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    warp.words(op.dst)[lane] = static_cast<std::uint32_t>(warp.pairs(op.a)[lane] & kCountMask);
  }
}

}  // namespace gpuprobe::simt
