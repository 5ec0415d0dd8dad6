#include "model/simt/memory.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

namespace gpuprobe::simt {
namespace {

Window window_of(std::uint64_t address) {
  switch (address & kWindowMask) {
    case kSharedWindow:
      return Window::kShared;
    case kLocalWindow:
      return Window::kLocal;
    case kParamWindow:
      return Window::kParam;
    default:
      return Window::kGlobal;
  }
}

/// Local memory is interleaved on the GPU so that one offset in all lanes is one run of memory: that is the
/// address that costs are counted with.
std::uint64_t interleaved(std::uint64_t offset, std::uint32_t width, int lane) {
  const std::uint64_t grain = width < 4 ? 4 : width;
  return offset / grain * grain * kLanes + static_cast<std::uint64_t>(lane) * grain + offset % grain;
}

std::byte* shared_lane(Warp& warp, std::uint64_t offset, std::uint32_t width) {
  BlockRun& block = *warp.block;
  if (offset > block.shared.size() || block.shared.size() - offset < width) return nullptr;
  return block.shared.data() + offset;
}

std::byte* local_lane(Warp& warp, int lane, std::uint64_t offset, std::uint32_t width) {
  if (offset > warp.local_capacity || warp.local_capacity - offset < width) return nullptr;
  return warp.local.data() + static_cast<std::size_t>(lane) * warp.local_capacity + offset;
}

std::byte* parameter_lane(Warp& warp, std::uint64_t offset, std::uint32_t width) {
  auto& parameters = warp.block->launch.parameters;
  if (offset > parameters.size() || parameters.size() - offset < width) return nullptr;
  return reinterpret_cast<std::byte*>(parameters.data() + offset);
}

std::byte* global_lane(Warp& warp, const MicroOp& op, std::uint64_t address, std::uint32_t width) {
  const DeviceMemory::Allocation*& recent =
      warp.block->worker.recent[static_cast<std::size_t>(op.instruction)];
  const bool hit = recent != nullptr && address >= recent->address &&
                   address - recent->address <= recent->bytes.size() &&
                   recent->bytes.size() - (address - recent->address) >= width;
  if (!hit) {
    const DeviceMemory::Allocation* found = warp.block->launch.memory.find(address, width);
    if (found == nullptr) return nullptr;
    recent = found;
  }
  return recent->bytes.data() + (address - recent->address);
}

void lane_addresses(Warp& warp, const MemoryOp& memory, std::uint64_t* addresses) {
  if (memory.address == kNoSlot) {
    for (int i = 0; i < kLanes; ++i) addresses[i] = static_cast<std::uint64_t>(memory.offset);
  } else if (memory.address_64) {
    const std::uint64_t* base = warp.pairs(memory.address);
    for (int i = 0; i < kLanes; ++i) addresses[i] = base[i] + static_cast<std::uint64_t>(memory.offset);
  } else {
    const std::uint32_t* base = warp.words(memory.address);
    const auto offset = static_cast<std::uint32_t>(memory.offset);
    for (int i = 0; i < kLanes; ++i) addresses[i] = static_cast<std::uint32_t>(base[i] + offset);
  }
}

std::uint64_t read_memory(const std::byte* at, std::uint32_t bytes, bool ordered) {
  std::uint64_t value = 0;
  if (!ordered) {
    std::memcpy(&value, at, bytes);
    return value;
  }
  switch (bytes) {
    case 1:
      return __atomic_load_n(reinterpret_cast<const std::uint8_t*>(at), __ATOMIC_ACQUIRE);
    case 2:
      return __atomic_load_n(reinterpret_cast<const std::uint16_t*>(at), __ATOMIC_ACQUIRE);
    case 4:
      return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(at), __ATOMIC_ACQUIRE);
    default:
      return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at), __ATOMIC_ACQUIRE);
  }
}

void write_memory(std::byte* at, std::uint32_t bytes, std::uint64_t value, bool ordered) {
  if (!ordered) {
    std::memcpy(at, &value, bytes);
    return;
  }
  switch (bytes) {
    case 1:
      __atomic_store_n(reinterpret_cast<std::uint8_t*>(at), static_cast<std::uint8_t>(value),
                       __ATOMIC_RELEASE);
      break;
    case 2:
      __atomic_store_n(reinterpret_cast<std::uint16_t*>(at), static_cast<std::uint16_t>(value),
                       __ATOMIC_RELEASE);
      break;
    case 4:
      __atomic_store_n(reinterpret_cast<std::uint32_t*>(at), static_cast<std::uint32_t>(value),
                       __ATOMIC_RELEASE);
      break;
    default:
      __atomic_store_n(reinterpret_cast<std::uint64_t*>(at), value, __ATOMIC_RELEASE);
  }
}

template <class T>
void fill_lanes(T* dst, std::uint32_t mask, T value) {
  if (mask == kAllLanes) {
    std::fill_n(dst, kLanes, value);
    return;
  }
  for (int i = 0; i < kLanes; ++i) dst[i] = (mask >> i & 1) != 0 ? value : dst[i];
}

}  // namespace

bool resolve_lanes(Warp& warp, const MicroOp& op, std::uint32_t mask, const std::uint64_t* addresses,
                   Window window, std::uint32_t width, LanePointers& pointers) {
  const bool generic = window == Window::kGeneric;
  const int first = std::countr_zero(mask);
  pointers.window = generic ? window_of(addresses[first]) : window;
  pointers.mask = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    std::uint64_t address = addresses[i];
    if (generic) {
      if (window_of(address) != pointers.window) continue;
      if (pointers.window != Window::kGlobal) address &= ~kWindowMask;
    } else if (pointers.window != Window::kGlobal && pointers.window != Window::kConst &&
               (address & kWindowMask) != 0) {
      // A 64-bit address of a window where an offset belongs: what cvta.to would have taken off.
      if (window_of(address) == pointers.window) address &= ~kWindowMask;
    }
    std::byte* pointer = nullptr;
    if (address % width != 0) {
      warp.block->fault(warp, op, i, pointers.window, address, true);
      return false;
    }
    std::uint64_t reported = address;
    switch (pointers.window) {
      case Window::kShared:
        pointer = shared_lane(warp, address, width);
        break;
      case Window::kLocal:
        pointer = local_lane(warp, i, address, width);
        reported = interleaved(address, width, i);
        break;
      case Window::kParam:
        pointer = parameter_lane(warp, address, width);
        break;
      default:
        pointer = global_lane(warp, op, address, width);
        break;
    }
    if (pointer == nullptr) {
      warp.block->fault(warp, op, i, pointers.window, address, false);
      return false;
    }
    pointers.lane[i] = pointer;
    pointers.mask |= 1u << i;
    warp.addresses[static_cast<std::size_t>(i)] = reported;
  }
  return true;
}

void load_general(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  std::uint64_t addresses[kLanes];
  lane_addresses(warp, memory, addresses);
  for (std::uint32_t todo = mask; todo != 0;) {
    LanePointers pointers;
    if (!resolve_lanes(warp, op, todo, addresses, memory.window, memory.width(), pointers)) return;
    todo &= ~pointers.mask;
    if (warp.block->observer != nullptr)
      warp.block->observe(warp, op,
                          memory.window == Window::kConst ? MemorySpace::kConst : space_of(pointers.window),
                          pointers.mask);
    for (std::uint32_t rest = pointers.mask; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      const std::byte* at = pointers.lane[i];
      for (std::uint32_t e = 0; e < memory.elements; ++e) {
        const std::uint32_t slot = memory.data[e];
        if (slot == kNoSlot) continue;
        if (memory.element_bytes == 16) {
          warp.pairs(slot)[i] = read_memory(at, 8, false);
          warp.pairs(slot + kLanes * 8)[i] = read_memory(at + 8, 8, false);
          continue;
        }
        const std::uint64_t value =
            read_memory(at + e * memory.element_bytes, memory.element_bytes, memory.order.strong);
        std::uint64_t extended = extend_loaded(value, memory);
        if (memory.register_bytes == 2) extended &= 0xFFFF;
        write_lane(warp, slot, memory.register_bytes, i, extended);
      }
    }
  }
}

void store_general(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  std::uint64_t addresses[kLanes];
  lane_addresses(warp, memory, addresses);
  for (std::uint32_t todo = mask; todo != 0;) {
    LanePointers pointers;
    if (!resolve_lanes(warp, op, todo, addresses, memory.window, memory.width(), pointers)) return;
    todo &= ~pointers.mask;
    if (pointers.window == Window::kParam || pointers.window == Window::kConst) {
      warp.block->fault(warp, op, std::countr_zero(pointers.mask), pointers.window,
                        addresses[std::countr_zero(pointers.mask)], false);
      return;
    }
    if (warp.block->observer != nullptr)
      warp.block->observe(warp, op, space_of(pointers.window), pointers.mask);
    ++warp.changes;
    for (std::uint32_t rest = pointers.mask; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      std::byte* at = pointers.lane[i];
      for (std::uint32_t e = 0; e < memory.elements; ++e) {
        const std::uint32_t slot = memory.data[e];
        if (memory.element_bytes == 16) {
          write_memory(at, 8, warp.pairs(slot)[i], false);
          write_memory(at + 8, 8, warp.pairs(slot + kLanes * 8)[i], false);
          continue;
        }
        write_memory(at + e * memory.element_bytes, memory.element_bytes,
                     read_lane(warp, slot, memory.register_bytes, i), memory.order.strong);
      }
    }
    if (pointers.window == Window::kGlobal)
      for (std::uint32_t rest = pointers.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = warp.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
        const auto* allocation = warp.block->launch.memory.find(address, 1);
        if (allocation != nullptr && !allocation->written.empty())
          mark_written(*allocation, address, memory.width());
      }
  }
}

void load_parameter(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  const std::uint8_t* parameters = warp.block->launch.parameters.data() + memory.offset;
  for (std::uint32_t e = 0; e < memory.elements; ++e) {
    const std::uint32_t slot = memory.data[e];
    if (slot == kNoSlot) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, parameters + e * memory.element_bytes, memory.element_bytes);
    value = extend_loaded(value, memory);
    if (memory.register_bytes == 2) value &= 0xFFFF;
    if (memory.register_bytes == 8)
      fill_lanes(warp.pairs(slot), mask, value);
    else
      fill_lanes(warp.words(slot), mask, static_cast<std::uint32_t>(value));
  }
}

void load_column(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  for (std::uint32_t e = 0; e < memory.elements; ++e) {
    const std::uint64_t at = static_cast<std::uint64_t>(memory.offset) + e * memory.element_bytes;
    const std::uint64_t* column =
        warp.pairs(memory.address + static_cast<std::uint32_t>(at / 8) * kLanes * 8);
    if (memory.data[e] == kNoSlot) continue;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      std::uint64_t value = column[i] >> (8 * (at % 8));
      if (memory.element_bytes < 8) value &= (std::uint64_t{1} << (8 * memory.element_bytes)) - 1;
      value = extend_loaded(value, memory);
      if (memory.register_bytes == 2) value &= 0xFFFF;
      write_lane(warp, memory.data[e], memory.register_bytes, i, value);
    }
  }
}

void store_column(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const MemoryOp& memory = *op.memory;
  for (std::uint32_t e = 0; e < memory.elements; ++e) {
    const std::uint64_t at = static_cast<std::uint64_t>(memory.offset) + e * memory.element_bytes;
    std::uint64_t* column = warp.pairs(memory.address + static_cast<std::uint32_t>(at / 8) * kLanes * 8);
    const std::uint64_t ones =
        memory.element_bytes < 8 ? (std::uint64_t{1} << (8 * memory.element_bytes)) - 1 : ~std::uint64_t{0};
    const int shift = static_cast<int>(8 * (at % 8));
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int i = std::countr_zero(rest);
      const std::uint64_t value = read_lane(warp, memory.data[e], memory.register_bytes, i) & ones;
      column[i] = (column[i] & ~(ones << shift)) | value << shift;
    }
  }
}

void mark_written(const DeviceMemory::Allocation& allocation, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t begin = (address - allocation.address) / 4;
  const std::uint64_t end = (address - allocation.address + bytes + 3) / 4;
  // The bits are the machine's own record, which is why a const allocation may set them.
  auto* words = const_cast<std::uint64_t*>(allocation.written.data());
  for (std::uint64_t bit = begin; bit < end;) {
    const std::uint64_t in_word = std::min<std::uint64_t>(64 - bit % 64, end - bit);
    const std::uint64_t ones = (in_word == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << in_word) - 1)
                               << (bit % 64);
    std::atomic_ref<std::uint64_t> word(words[bit / 64]);
    if ((word.load(std::memory_order_relaxed) & ones) != ones) word.fetch_or(ones, std::memory_order_relaxed);
    bit += in_word;
  }
}

}  // namespace gpuprobe::simt
