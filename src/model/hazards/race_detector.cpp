#include "model/hazards/race_detector.h"

#include <algorithm>
#include <bit>

namespace gpuprobe::hazards {
namespace {

constexpr std::uint32_t kWordBytes = 4;

Use use_of(simt::AccessOp op) {
  switch (op) {
    case simt::AccessOp::kLoad:
    case simt::AccessOp::kMatrixLoad:
      return Use::kRead;
    case simt::AccessOp::kStore:
    case simt::AccessOp::kMatrixStore:
    case simt::AccessOp::kAsyncCopy:
      return Use::kWrite;
    case simt::AccessOp::kAtomic:
    case simt::AccessOp::kReduction:
      return Use::kAtomic;
  }
  return Use::kRead;
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
  if (!clocks_) {
    if (full) {
      epochs_.barrier();
      return;
    }
    clocks_.emplace(warps_, pieces(), epochs_);
  }
  clocks_->barrier(warps);
}

void RaceDetector::access(const simt::MemoryAccess& access) {
  if (access.op == simt::AccessOp::kAsyncCopy) {
    touch_lanes(access, access.shared_destination, access.active, access.width, Use::kWrite);
    return;
  }
  if (access.space != simt::MemorySpace::kShared) return;
  if (access.op == simt::AccessOp::kMatrixLoad || access.op == simt::AccessOp::kMatrixStore) {
    // Each row of 16 bytes is named by one lane.
    const int rows = 8 * access.matrices;
    touch_lanes(access, access.addresses, rows >= 32 ? ~0u : (1u << rows) - 1, 16, use_of(access.op));
    return;
  }
  touch_lanes(access, access.addresses, access.active, access.width, use_of(access.op));
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
  if (!clocks_ && active == ~0u && use != Use::kAtomic && touch_run(touch, addresses, width)) return;
  std::uint64_t previous = ~std::uint64_t{0};
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const std::uint64_t begin = addresses[std::countr_zero(rest)];
    if (begin == previous) continue;  // a broadcast
    previous = begin;
    if (begin + width > shared_bytes_ || begin + width < begin) continue;  // out of bounds is another hazard
    const std::uint64_t last = (begin + width - 1) >> piece_shift_;
    touch.byte = begin;
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
