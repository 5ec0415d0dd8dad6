#include "model/hazards/race_detector.h"

#include <algorithm>
#include <bit>

namespace gpuprobe::hazards {
namespace {

constexpr std::uint32_t kWordBytes = 4;

Use use_of(simt::AccessOp op, bool strong) {
  switch (op) {
    case simt::AccessOp::kLoad:
      return strong ? Use::kStrongRead : Use::kRead;
    case simt::AccessOp::kMatrixLoad:
      return Use::kRead;
    case simt::AccessOp::kStore:
      return strong ? Use::kStrongWrite : Use::kWrite;
    case simt::AccessOp::kMatrixStore:
    case simt::AccessOp::kAsyncCopy:
      return Use::kWrite;
    case simt::AccessOp::kAtomic:
    case simt::AccessOp::kReduction:
      return Use::kAtomic;
  }
  return Use::kRead;
}

/// The addresses of the active lanes, each once where neighbours share it.
template <class Body>
void each_object(const simt::MemoryAccess& access, Body body) {
  std::uint64_t previous = ~std::uint64_t{0};
  for (std::uint32_t rest = access.active; rest != 0; rest &= rest - 1) {
    const std::uint64_t object = access.addresses[std::countr_zero(rest)];
    if (object != previous) body(object);
    previous = object;
  }
}

}  // namespace

void RaceDetector::begin_block(std::uint64_t, std::uint32_t shared_bytes) {
  shared_bytes_ = shared_bytes;
  clocks_.reset();
  epochs_.begin_block(pieces());
}

void RaceDetector::barrier(std::uint64_t, int, const std::vector<bool>& warps) {
  if (shared_bytes_ == 0) return;
  const bool full = std::all_of(warps.begin(), warps.end(), [](bool joined) { return joined; });
  if (!clocks_ && full) {
    epochs_.barrier();
  } else {
    clocks().clocks().barrier(warps);
  }
}

ClockShadow& RaceDetector::clocks() {
  if (!clocks_) clocks_.emplace(warps_, pieces(), epochs_);
  return *clocks_;
}

void RaceDetector::fence(std::uint64_t, int warp, simt::MemoryOrder order) {
  // Before the first release of a block there is nothing to acquire.
  if (shared_bytes_ == 0 || (!clocks_ && !order.releases)) return;
  clocks().clocks().fence(warp, order);
}

void RaceDetector::take_over(const simt::MemoryAccess& access) {
  if (!clocks_ || access.op == simt::AccessOp::kStore) return;
  each_object(access, [&](std::uint64_t object) {
    clocks_->clocks().strong_read(access.warp, object, access.order);
  });
}

void RaceDetector::hand_on(const simt::MemoryAccess& access) {
  if (access.op == simt::AccessOp::kLoad || (!clocks_ && !access.order.releases)) return;
  WarpClocks& clocks = this->clocks().clocks();
  const bool reads_too = access.op != simt::AccessOp::kStore;
  each_object(access, [&](std::uint64_t object) {
    clocks.strong_write(access.warp, object, reads_too, access.order);
  });
}

void RaceDetector::access(const simt::MemoryAccess& access) {
  if (access.op == simt::AccessOp::kAsyncCopy) {
    touch_lanes(access, access.shared_destination, access.active, access.width, Use::kWrite);
    return;
  }
  // Shared offsets and global addresses are distinct numbers: global memory begins far above 228 KiB.
  const bool shared = access.space == simt::MemorySpace::kShared;
  const bool synchronises =
      access.order.strong && shared_bytes_ != 0 && (shared || access.space == simt::MemorySpace::kGlobal);
  if (synchronises) take_over(access);
  if (!shared) {
    if (synchronises) hand_on(access);
    return;
  }
  if (access.op == simt::AccessOp::kMatrixLoad || access.op == simt::AccessOp::kMatrixStore) {
    // Each row of 16 bytes is named by one lane.
    const int rows = 8 * access.matrices;
    touch_lanes(access, access.addresses, rows >= 32 ? ~0u : (1u << rows) - 1, 16, use_of(access.op, false));
    return;
  }
  touch_lanes(access, access.addresses, access.active, access.width, use_of(access.op, access.order.strong));
  if (synchronises) hand_on(access);
}

void RaceDetector::split_words() {
  piece_shift_ = 0;
  epochs_.split(kWordBytes);
  if (clocks_) clocks_->split(kWordBytes);
}

bool RaceDetector::touch_run(Touch& touch, const std::uint64_t* addresses, std::uint32_t width) {
  const std::uint64_t first = addresses[0];
  const std::uint64_t stride = addresses[1] - first;
  if (stride != width && stride != 0) return false;
  std::uint64_t difference = 0;
  std::uint64_t expected = first;
  for (int lane = 0; lane < 32; ++lane, expected += stride) difference |= addresses[lane] ^ expected;
  const std::uint64_t bytes = stride == 0 ? width : std::uint64_t{32} * width;
  if (difference != 0 || first + bytes > shared_bytes_ || first + bytes < first) return false;
  touch.piece = static_cast<std::uint32_t>(first >> piece_shift_);
  const std::uint64_t last = (first + bytes - 1) >> piece_shift_;
  return epochs_.touch_run(touch, last - touch.piece + 1);
}

void RaceDetector::touch_lanes(const simt::MemoryAccess& access, const std::uint64_t* addresses,
                               std::uint32_t active, std::uint32_t width, Use use) {
  if (width < kWordBytes && piece_shift_ != 0) split_words();
  Touch touch;
  touch.warp = access.warp;
  touch.instruction = access.instruction;
  touch.use = use;
  touch.block = access.block;
  if (!clocks_ && active == ~0u && !is_strong(use) && touch_run(touch, addresses, width)) return;
  std::uint64_t previous = ~std::uint64_t{0};
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const std::uint64_t begin = addresses[std::countr_zero(rest)];
    if (begin == previous) continue;  // a broadcast
    previous = begin;
    if (begin + width > shared_bytes_ || begin + width < begin) continue;  // out of bounds is another hazard
    const std::uint64_t last = (begin + width - 1) >> piece_shift_;
    touch.byte = begin;
    if (clocks_ && use == Use::kWrite) clocks_->clocks().weak_write(begin);
    for (std::uint64_t piece = begin >> piece_shift_; piece <= last; ++piece) {
      touch.piece = static_cast<std::uint32_t>(piece);
      if (clocks_) {
        clocks_->touch(touch, log_);
      } else {
        epochs_.touch(touch, log_);
      }
    }
  }
}

}  // namespace gpuprobe::hazards
