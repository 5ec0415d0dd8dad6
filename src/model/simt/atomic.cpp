// Atomic operations and asynchronous copies.
//
// A block runs on one thread, so shared memory needs no care; global memory is shared by the workers and is
// changed by compare-and-swap on the word that holds the value.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/half.h"
#include "model/simt/memory.h"

namespace gpuprobe::simt {
namespace {

float add_flushing(float a, float b, bool ftz) {
  const auto flush = [ftz](float x) {
    return ftz && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
  };
  return flush(flush(a) + flush(b));
}

template <class T>
T of(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else
    return static_cast<T>(bits);
}

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<std::uint64_t>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

std::uint64_t narrow_op(std::uint64_t old, std::uint64_t value, AtomicOp op, bool bfloat) {
  const auto widen = [&](std::uint64_t bits) {
    return bfloat ? float_from_bfloat16(static_cast<std::uint16_t>(bits))
                  : float_from_half(static_cast<std::uint16_t>(bits));
  };
  const float a = widen(old), b = widen(value);
  const float result =
      op == AtomicOp::kAdd ? a + b : (op == AtomicOp::kMin ? std::fmin(a, b) : std::fmax(a, b));
  return bfloat ? bfloat16_from_float(result) : half_from_float(result);
}

template <class T>
std::uint64_t ordered_op(std::uint64_t old, std::uint64_t value, AtomicOp op) {
  return bits_of<T>(op == AtomicOp::kMin ? std::min(of<T>(old), of<T>(value))
                                         : std::max(of<T>(old), of<T>(value)));
}

/// The value after the operation on one element.
std::uint64_t apply(const MemoryOp& memory, std::uint64_t old, std::uint64_t value, std::uint64_t compare) {
  switch (memory.atomic) {
    case AtomicOp::kExchange:
      return value;
    case AtomicOp::kCas:
      return old == compare ? value : old;
    case AtomicOp::kAnd:
      return old & value;
    case AtomicOp::kOr:
      return old | value;
    case AtomicOp::kXor:
      return old ^ value;
    case AtomicOp::kInc:
      return old >= value ? 0 : old + 1;
    case AtomicOp::kDec:
      return old == 0 || old > value ? value : old - 1;
    default:
      break;
  }
  const bool add = memory.atomic == AtomicOp::kAdd;
  switch (memory.type) {
    case Type::kF32:
      if (add) return bits_of(add_flushing(of<float>(old), of<float>(value), !memory.no_ftz));
      return bits_of(memory.atomic == AtomicOp::kMin ? std::fmin(of<float>(old), of<float>(value))
                                                     : std::fmax(of<float>(old), of<float>(value)));
    case Type::kF64:
      return bits_of(of<double>(old) + of<double>(value));
    case Type::kF16:
      return narrow_op(old, value, memory.atomic, false);
    case Type::kBf16:
      return narrow_op(old, value, memory.atomic, true);
    case Type::kF16x2:
    case Type::kBf16x2: {
      const bool bfloat = memory.type == Type::kBf16x2;
      return narrow_op(old & 0xFFFF, value & 0xFFFF, memory.atomic, bfloat) |
             narrow_op(old >> 16, value >> 16, memory.atomic, bfloat) << 16;
    }
    case Type::kS32:
      return add ? (old + value) & 0xFFFFFFFFu : ordered_op<std::int32_t>(old, value, memory.atomic);
    case Type::kS64:
      return add ? old + value : ordered_op<std::int64_t>(old, value, memory.atomic);
    case Type::kU64:
    case Type::kB64:
      return add ? old + value : ordered_op<std::uint64_t>(old, value, memory.atomic);
    default:
      return add ? (old + value) & 0xFFFFFFFFu : ordered_op<std::uint32_t>(old, value, memory.atomic);
  }
}

template <class T>
std::uint64_t update(std::byte* at, const MemoryOp& memory, std::uint64_t value, std::uint64_t compare,
                     bool between_workers, bool& changed) {
  if (!between_workers) {
    T old;
    std::memcpy(&old, at, sizeof(T));
    const T next = static_cast<T>(apply(memory, old, value, compare));
    changed |= next != old;
    std::memcpy(at, &next, sizeof(T));
    return old;
  }
  std::atomic_ref<T> word(*reinterpret_cast<T*>(at));
  T old = word.load();
  while (true) {
    const T next = static_cast<T>(apply(memory, old, value, compare));
    if (next == old) return old;
    if (word.compare_exchange_weak(old, next)) {
      changed = true;
      return old;
    }
  }
}

std::uint64_t update_element(std::byte* at, const MemoryOp& memory, std::uint64_t value,
                             std::uint64_t compare, bool between_workers, bool& changed) {
  switch (memory.element_bytes) {
    case 2:
      return update<std::uint16_t>(at, memory, value & 0xFFFF, compare & 0xFFFF, between_workers, changed);
    case 4:
      return update<std::uint32_t>(at, memory, value & 0xFFFFFFFFu, compare & 0xFFFFFFFFu, between_workers,
                                   changed);
    default:
      return update<std::uint64_t>(at, memory, value, compare, between_workers, changed);
  }
}

void lane_addresses(Warp& warp, const MemoryOp& memory, std::uint64_t* addresses) {
  for (int i = 0; i < kLanes; ++i)
    addresses[i] = memory.address_64
                       ? warp.pairs(memory.address)[i] + static_cast<std::uint64_t>(memory.offset)
                       : static_cast<std::uint32_t>(warp.words(memory.address)[i] +
                                                    static_cast<std::uint32_t>(memory.offset));
}

}  // namespace

void atomic_general(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  std::uint64_t addresses[kLanes];
  lane_addresses(warp, memory, addresses);
  for (std::uint32_t todo = mask; todo != 0;) {
    LanePointers pointers;
    if (!resolve_lanes(warp, op, todo, addresses, memory.window, memory.width(), pointers)) return;
    todo &= ~pointers.mask;
    if (warp.block->observer != nullptr)
      warp.block->observe(warp, op, space_of(pointers.window), pointers.mask);
    bool changed = false;
    for (std::uint32_t rest = pointers.mask; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      for (std::uint32_t e = 0; e < memory.elements; ++e) {
        const std::uint64_t value = read_lane(warp, memory.data[e], memory.register_bytes, i);
        const std::uint64_t compare =
            memory.compare == kNoSlot ? 0 : read_lane(warp, memory.compare, memory.register_bytes, i);
        const std::uint64_t old = update_element(pointers.lane[i] + e * memory.element_bytes, memory, value,
                                                 compare, pointers.window == Window::kGlobal, changed);
        if (memory.result[e] != kNoSlot) write_lane(warp, memory.result[e], memory.register_bytes, i, old);
      }
      if (pointers.window == Window::kGlobal) {
        const std::uint64_t address = warp.addresses[static_cast<std::size_t>(i)];
        const auto* allocation = warp.block->worker.recent[static_cast<std::size_t>(op.instruction)];
        if (allocation == nullptr || address - allocation->address >= allocation->bytes.size())
          allocation = warp.block->launch.memory.find(address, 1);
        if (allocation != nullptr && !allocation->written.empty())
          mark_written(*allocation, address, memory.width());
      }
    }
    warp.changes += changed ? 1 : 0;
  }
}

void async_copy(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  std::uint64_t sources[kLanes], destinations[kLanes];
  lane_addresses(warp, memory, sources);
  for (int i = 0; i < kLanes; ++i) {
    destinations[i] =
        memory.destination_64
            ? warp.pairs(memory.destination)[i] + static_cast<std::uint64_t>(memory.destination_offset)
            : static_cast<std::uint32_t>(warp.words(memory.destination)[i] +
                                         static_cast<std::uint32_t>(memory.destination_offset));
  }
  const std::uint32_t width = memory.element_bytes;
  LanePointers to;
  if (!resolve_lanes(warp, op, mask, destinations, Window::kShared, width, to)) return;
  for (int i = 0; i < kLanes; ++i)
    warp.destinations[static_cast<std::size_t>(i)] = warp.addresses[static_cast<std::size_t>(i)];

  std::uint32_t reading = mask;
  if (memory.ignore_source != kNoSlot)
    reading &= warp.predicate(memory.ignore_source) ^ (memory.ignore_source_negated ? 0u : kAllLanes);
  std::uint32_t bytes[kLanes];
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    bytes[i] = memory.source_bytes == kNoSlot ? width : std::min(width, warp.words(memory.source_bytes)[i]);
    if (bytes[i] == 0) reading &= ~(1u << i);
  }
  LanePointers from;
  std::uint32_t partial = reading;
  // A copy of fewer bytes than its size reads only those: their range is what must be inside the buffer.
  for (std::uint32_t rest = reading; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    if (bytes[i] == width) continue;
    partial &= ~(1u << i);
    const auto* allocation = warp.block->launch.memory.find(sources[i], bytes[i]);
    if (sources[i] % width != 0 || allocation == nullptr) {
      warp.block->fault(warp, op, i, Window::kGlobal, sources[i], sources[i] % width != 0);
      return;
    }
    from.lane[i] = allocation->bytes.data() + (sources[i] - allocation->address);
  }
  if (partial != 0) {
    LanePointers whole;
    if (!resolve_lanes(warp, op, partial, sources,
                       memory.window == Window::kGeneric ? Window::kGlobal : memory.window, width, whole))
      return;
    for (std::uint32_t rest = partial; rest != 0; rest &= rest - 1)
      from.lane[std::countr_zero(rest)] = whole.lane[std::countr_zero(rest)];
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    warp.addresses[static_cast<std::size_t>(i)] = sources[i];
    const bool reads = (reading >> i & 1) != 0;
    if (reads) std::memcpy(to.lane[i], from.lane[i], bytes[i]);
    const std::uint32_t copied = reads ? bytes[i] : 0;
    std::memset(to.lane[i] + copied, 0, width - copied);
  }
  ++warp.changes;
  if (warp.block->observer != nullptr) warp.block->observe(warp, op, MemorySpace::kGlobal, mask);
}

}  // namespace gpuprobe::simt
