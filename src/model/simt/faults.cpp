// What the machine says about an access that a GPU answers with a fault.
#include <algorithm>

#include <fmt/format.h>

#include "model/simt/block_run.h"

namespace gpuprobe::simt {
namespace {

std::string_view name_of(Window window) {
  switch (window) {
    case Window::kShared:
      return "shared";
    case Window::kLocal:
      return "local";
    case Window::kConst:
      return "constant";
    case Window::kParam:
      return "parameter";
    default:
      return "global";
  }
}

std::string_view name_of(AccessOp op) {
  switch (op) {
    case AccessOp::kLoad:
      return "load";
    case AccessOp::kStore:
      return "store";
    case AccessOp::kAtomic:
      return "atomic";
    case AccessOp::kReduction:
      return "reduction";
    case AccessOp::kAsyncCopy:
      return "asynchronous copy";
    case AccessOp::kMatrixLoad:
      return "matrix load";
    case AccessOp::kMatrixStore:
      return "matrix store";
  }
  return "access";
}

/// "16 bytes past the end of 'out' (4096 bytes)"
std::string nearest_allocation(const DeviceMemory& memory, std::uint64_t address, std::uint32_t width) {
  std::string text = "in no buffer: there is none";
  std::uint64_t best = ~std::uint64_t{0};
  for (const auto& allocation : memory.allocations()) {
    const std::uint64_t size = allocation.bytes.size(), end = allocation.address + size;
    if (address >= allocation.address && address + width > end) {
      // Counted from the end to where the access starts; one that starts inside crosses the end.
      const std::uint64_t distance = address >= end ? address - end : 0;
      if (distance >= best) continue;
      best = distance;
      text = address < end ? fmt::format("across the end of '{}' ({} bytes)", allocation.name, size)
             : distance == 0
                 ? fmt::format("just past the end of '{}' ({} bytes)", allocation.name, size)
                 : fmt::format("{} bytes past the end of '{}' ({} bytes)", distance, allocation.name, size);
    } else if (address < allocation.address) {
      const std::uint64_t distance = allocation.address - address;
      if (distance >= best) continue;
      best = distance;
      text = fmt::format("{} bytes before the start of '{}' ({} bytes)", distance, allocation.name, size);
    }
  }
  // Nothing near: an address that was never derived from a buffer (a null pointer, a wild index).
  if (best > (std::uint64_t{1} << 36)) return address < 4096 ? "a null pointer" : "in no buffer";
  return text;
}

}  // namespace

void BlockRun::fault(Warp& warp, const MicroOp& op, int lane, Window window, std::uint64_t address,
                     bool misaligned) {
  const InstructionInfo& info = image.instructions[static_cast<std::size_t>(op.instruction)];
  const MemoryOp& memory = *op.memory;
  const bool matrix = memory.op == AccessOp::kMatrixLoad || memory.op == AccessOp::kMatrixStore;
  const std::uint32_t width = matrix ? 16 : memory.width();
  std::string where;
  if (misaligned) {
    where = fmt::format("not a multiple of {}", width);
  } else if (window == Window::kShared || window == Window::kLocal || window == Window::kParam) {
    const std::uint64_t size = window == Window::kShared  ? shared.size()
                               : window == Window::kLocal ? warp.local_capacity
                                                          : launch.parameters.size();
    const char* what = window == Window::kShared  ? "the block's shared memory"
                       : window == Window::kLocal ? "the thread's local memory"
                                                  : "the kernel's parameters";
    where = address >= size
                ? fmt::format("{} bytes past the end of {} ({} bytes)", address - size, what, size)
                : fmt::format("across the end of {} ({} bytes)", what, size);
  } else {
    where = nearest_allocation(launch.memory, address, width);
  }
  Hazard hazard;
  hazard.kind = misaligned ? HazardKind::kMisalignedAccess : HazardKind::kOutOfBounds;
  hazard.text = fmt::format("{} {} of {} bytes at {} by thread {} of block {}: address {:#x} is {}",
                            name_of(window), name_of(memory.op), width, place(info),
                            to_text(thread(warp, lane)), to_text(coordinates_), address, where);
  hazard.locations = {info.location};
  launch.add_hazard(std::move(hazard));
  launch.faulted = true;
  launch.cancelled = true;
  stop = true;
}

void BlockRun::error(ErrorCode code, const MicroOp& op, const std::string& what, const std::string& hint) {
  const InstructionInfo& info = image.instructions[static_cast<std::size_t>(op.instruction)];
  launch.set_error(
      {code, fmt::format("{} ({} at {}, block {})", what, info.text, place(info), to_text(coordinates_)),
       hint});
  stop = true;
}

}  // namespace gpuprobe::simt
