// Calls of device functions: arguments, recursion, returns, function pointers, failed assertions.
#include <algorithm>
#include <bit>
#include <cstring>

#include "model/simt/block_run.h"

namespace gpuprobe::simt {
namespace {

constexpr std::int32_t kMaxDepth = 2048;              ///< calls within calls
constexpr std::uint32_t kMaxLocalBytes = 512u << 10;  ///< of one thread: the CUDA limit

/// Copies the columns of `from` into a flat buffer, or back into the lanes of `mask`.
void gather(Warp& warp, const std::vector<CallOp::Piece>& pieces, std::vector<std::uint64_t>& buffer) {
  buffer.clear();
  for (const CallOp::Piece& piece : pieces) {
    const std::uint64_t* begin = warp.pairs(piece.slot);
    buffer.insert(buffer.end(), begin, begin + std::size_t{piece.columns} * kLanes);
  }
}

void scatter(Warp& warp, const std::vector<CallOp::Piece>& pieces, const std::vector<std::uint64_t>& buffer,
             std::uint32_t mask) {
  std::size_t at = 0;
  for (const CallOp::Piece& piece : pieces)
    for (std::uint32_t column = 0; column < piece.columns; ++column, at += kLanes) {
      if (at + kLanes > buffer.size()) return;
      std::uint64_t* to = warp.pairs(piece.slot + column * kLanes * 8);
      for (int i = 0; i < kLanes; ++i)
        to[i] = (mask >> i & 1) != 0 ? buffer[at + static_cast<std::size_t>(i)] : to[i];
    }
}

/// Puts back the registers of the lanes of `mask`.
void restore_frame(Warp& warp, const Frame& frame, const std::vector<std::byte>& saved, std::uint32_t mask) {
  const auto* from = reinterpret_cast<const std::uint32_t*>(saved.data());
  std::uint32_t* predicates = warp.words(frame.begin);
  const std::size_t predicate_count = (frame.words_begin - frame.begin) / 4;
  for (std::size_t i = 0; i < predicate_count; ++i)
    predicates[i] = (predicates[i] & ~mask) | (from[i] & mask);
  std::uint32_t* words = warp.words(frame.words_begin);
  const std::uint32_t* saved_words = from + predicate_count;
  const std::size_t word_count = (frame.pairs_begin - frame.words_begin) / 4;
  for (std::size_t i = 0; i < word_count; ++i)
    words[i] = (mask >> (i % kLanes) & 1) != 0 ? saved_words[i] : words[i];
  std::uint64_t* pairs = warp.pairs(frame.pairs_begin);
  const std::size_t pair_count = (frame.end - frame.pairs_begin) / 8;
  const std::byte* saved_pairs = saved.data() + (frame.pairs_begin - frame.begin);
  for (std::size_t i = 0; i < pair_count; ++i)
    if ((mask >> (i % kLanes) & 1) != 0) std::memcpy(&pairs[i], saved_pairs + i * 8, 8);
}

}  // namespace

void BlockRun::grow_local(Warp& warp, std::uint32_t bytes) {
  if (bytes <= warp.local_capacity) return;
  const std::uint32_t capacity = std::max(bytes, std::min(warp.local_capacity * 2, kMaxLocalBytes));
  std::vector<std::byte> grown(std::size_t{capacity} * kLanes);
  for (int lane = 0; lane < kLanes && warp.local_capacity != 0; ++lane)
    std::memcpy(grown.data() + static_cast<std::size_t>(lane) * capacity,
                warp.local.data() + static_cast<std::size_t>(lane) * warp.local_capacity,
                warp.local_capacity);
  warp.local.swap(grown);
  warp.local_capacity = capacity;
}

bool BlockRun::call(Warp& warp, Split& split, const MicroOp& op, int callee, std::uint32_t mask) {
  const CallOp& call = *op.call;
  const FunctionImage& caller = image.functions[static_cast<std::size_t>(call.caller)];
  const FunctionImage& function = image.functions[static_cast<std::size_t>(callee)];
  const Activation& current = warp.activations[static_cast<std::size_t>(split.activation)];
  if (current.depth >= kMaxDepth) {
    error(ErrorCode::kKernel, op,
          "calls nest deeper than " + std::to_string(kMaxDepth) + " in " + function.name,
          "the recursion does not end, or would overflow the stack of a GPU thread");
    return false;
  }
  if (mask != split.mask) set_aside(warp, split, mask);

  std::vector<std::uint64_t>& buffer = warp.call_buffer;
  gather(warp, call.arguments, buffer);
  std::uint32_t bases[kLanes];
  std::uint32_t deepest = 0;
  for (int i = 0; i < kLanes; ++i) {
    bases[i] = warp.words(caller.local_base)[i] + caller.local_bytes;
    if ((mask >> i & 1) != 0) deepest = std::max(deepest, bases[i]);
  }
  if (deepest + function.local_bytes > kMaxLocalBytes) {
    error(ErrorCode::kKernel, op,
          "local memory of a thread exceeds " + std::to_string(kMaxLocalBytes) + " bytes in " + function.name,
          "the recursion does not end, or would overflow the stack of a GPU thread");
    return false;
  }
  grow_local(warp, deepest + function.local_bytes);

  Activation activation{
      split.activation, split.pc + 1, op.position, current.depth + 1, mask, &call, callee, -1};
  if (function.is_recursive) {
    if (warp.free_frames.empty()) {
      warp.free_frames.push_back(static_cast<std::int32_t>(warp.saved_frames.size()));
      warp.saved_frames.emplace_back();
    }
    activation.saved = warp.free_frames.back();
    warp.free_frames.pop_back();
    std::byte* begin = warp.registers + function.frame.begin;
    warp.saved_frames[static_cast<std::size_t>(activation.saved)].assign(begin,
                                                                         warp.registers + function.frame.end);
  }
  std::uint32_t* base = warp.words(function.local_base);
  for (int i = 0; i < kLanes; ++i) base[i] = (mask >> i & 1) != 0 ? bases[i] : base[i];
  scatter(warp, function.parameters, buffer, mask);
  if (warp.free_activations.empty()) {
    warp.free_activations.push_back(static_cast<std::int32_t>(warp.activations.size()));
    warp.activations.emplace_back();
  }
  split.activation = warp.free_activations.back();
  warp.free_activations.pop_back();
  warp.activations[static_cast<std::size_t>(split.activation)] = activation;
  split.pc = function.entry_point;
  split.queue = position_of(split.pc);
  return true;
}

void BlockRun::drop_from_activation(Warp& warp, std::int32_t activation, std::uint32_t mask) {
  Activation& left = warp.activations[static_cast<std::size_t>(activation)];
  left.lanes &= ~mask;
  if (left.lanes != 0 || activation == 0) return;
  if (left.saved >= 0) warp.free_frames.push_back(left.saved);
  warp.free_activations.push_back(activation);
}

void BlockRun::return_from(Warp& warp, Split& split, std::uint32_t mask) {
  const Activation activation = warp.activations[static_cast<std::size_t>(split.activation)];
  const FunctionImage& function = image.functions[static_cast<std::size_t>(activation.callee)];
  std::vector<std::uint64_t>& buffer = warp.call_buffer;
  gather(warp, function.results, buffer);
  if (activation.saved >= 0)
    restore_frame(warp, function.frame, warp.saved_frames[static_cast<std::size_t>(activation.saved)], mask);
  scatter(warp, activation.call->results, buffer, mask);
  const std::int32_t left = split.activation;
  warp.splits.push_back({activation.return_pc, mask, position_of(activation.return_pc), activation.parent});
  if ((split.mask & ~mask) != 0) {
    Split rest = split;
    rest.mask &= ~mask;
    ++rest.pc;
    rest.queue = position_of(rest.pc);
    warp.splits.push_back(rest);
  }
  drop_from_activation(warp, left, mask);
}

bool BlockRun::call_indirect(Warp& warp, Split& split, const MicroOp& op, std::uint32_t mask) {
  const std::uint64_t* pointers = warp.pairs(op.call->pointer);
  std::vector<std::pair<int, std::uint32_t>> targets;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t number = (pointers[lane] - kFunctionWindow) / 16;
    const bool valid =
        pointers[lane] >= kFunctionWindow && pointers[lane] % 16 == 0 && number < image.function_at.size();
    const int index = valid ? image.function_at[number] : -1;
    if (index < 0) {
      error(ErrorCode::kKernel, op, "a call through a pointer that is no function's address",
            "check how the function pointer is set (a host-side address is not one of the device)");
      return false;
    }
    const auto known = std::find_if(targets.begin(), targets.end(),
                                    [&](const auto& target) { return target.first == index; });
    if (known != targets.end())
      known->second |= 1u << lane;
    else
      targets.emplace_back(index, 1u << lane);
  }
  if (targets.size() == 1) return call(warp, split, op, targets[0].first, mask);
  if (mask != split.mask) set_aside(warp, split, mask);
  for (const auto& [callee, lanes] : targets) {
    Split part = split;
    part.mask = lanes;
    if (!call(warp, part, op, callee, lanes)) return false;
    warp.splits.push_back(part);
  }
  split.mask = 0;
  return true;
}

void BlockRun::assert_failed(Warp& warp, const MicroOp& op, std::uint32_t mask) {
  const int lane = std::countr_zero(mask);
  const auto argument = [&](std::size_t index) -> std::uint64_t {
    if (index >= op.call->arguments.size()) return 0;
    return warp.pairs(op.call->arguments[index].slot)[lane];
  };
  const auto text = [&](std::uint64_t address) {
    std::string result;
    for (; result.size() < 512; ++address) {
      const DeviceMemory::Allocation* allocation = launch.memory.find(address, 1);
      if (allocation == nullptr) break;
      const char c = static_cast<char>(allocation->bytes[address - allocation->address]);
      if (c == 0) break;
      result += c;
    }
    return result;
  };
  error(ErrorCode::kKernel, op,
        "assertion '" + text(argument(0)) + "' failed at " + text(argument(1)) + ":" +
            std::to_string(static_cast<std::uint32_t>(argument(2))) + ", block " + to_text(coordinates_) +
            ", thread " + to_text(thread(warp, lane)),
        "the kernel itself checks this: look at the condition");
}

}  // namespace gpuprobe::simt
