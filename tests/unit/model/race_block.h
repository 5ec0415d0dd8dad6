// Drives a race detector by hand, as the machine would.
//
//   Block block(2);  block.store(10, 0, 0);  block.sync();  block.load(12, 1, 0);  block.found();
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/hazards/race_detector.h"

namespace gpuprobe::hazards {

using simt::AccessOp;
using simt::MemoryAccess;
using simt::MemorySpace;

inline constexpr std::uint64_t kGlobal = std::uint64_t{1} << 40;  ///< addresses from here on are global
inline constexpr simt::MemoryOrder kAcquire{true, true, false};
inline constexpr simt::MemoryOrder kRelease{true, false, true};

/// Drives a detector the way the machine does. Instruction numbers double as line numbers.
class Block {
 public:
  explicit Block(int warps, std::uint32_t shared_bytes = 4096) : warps_(warps), detector_(warps) {
    detector_.begin_block(0, shared_bytes);
  }
  void next_block(std::uint64_t block, std::uint32_t bytes = 4096) { detector_.begin_block(block, bytes); }
  void touch(int line, int warp, AccessOp op, std::uint64_t first_byte, std::uint32_t width = 4,
             int lanes = 32, std::uint64_t stride = 4) {
    MemoryAccess access;
    access.instruction = line;
    access.space = MemorySpace::kShared;
    access.op = op;
    access.width = width;
    access.active = lanes == 32 ? ~0u : (1u << lanes) - 1;
    for (int i = 0; i < 32; ++i) addresses_[i] = first_byte + stride * i;
    access.addresses = addresses_.data();
    access.shared_destination = addresses_.data();
    access.warp = warp;
    detector_.access(access);
  }
  void access(const MemoryAccess& access) { detector_.access(access); }
  void store(int line, int warp, std::uint64_t byte) { touch(line, warp, AccessOp::kStore, byte); }
  void load(int line, int warp, std::uint64_t byte) { touch(line, warp, AccessOp::kLoad, byte); }
  /// A strong access of one word: volatile or relaxed, with what `order` adds.
  void strong(int line, int warp, AccessOp op, std::uint64_t byte,
              simt::MemoryOrder order = {true, false, false}) {
    MemoryAccess access;
    access.instruction = line;
    access.space = byte < kGlobal ? MemorySpace::kShared : MemorySpace::kGlobal;
    access.op = op;
    access.active = 1;
    addresses_[0] = byte;
    access.addresses = addresses_.data();
    access.warp = warp;
    access.order = order;
    access.order.strong = true;
    detector_.access(access);
  }
  void fence(int warp, simt::MemoryOrder order = {true, true, true}) { detector_.fence(0, warp, order); }
  void sync() { detector_.barrier(0, 0, std::vector<bool>(warps_, true)); }
  void sync_some(std::uint32_t mask, int id = 1) {
    std::vector<bool> joined(warps_);
    for (int w = 0; w < warps_; ++w) joined[w] = mask >> w & 1;
    detector_.barrier(0, id, joined);
  }
  std::vector<Hazard> hazards() const {
    return shared_hazards(detector_.records(), [this](int line) -> const simt::InstructionInfo& {
      simt::InstructionInfo& info = infos_[line];
      info.text = "ld.shared.f32";
      info.location = {"kernel.cu", line};
      return info;
    });
  }
  std::vector<std::pair<HazardKind, std::vector<int>>> found() const {
    std::vector<std::pair<HazardKind, std::vector<int>>> out;
    for (const Hazard& hazard : hazards()) {
      std::vector<int> lines;
      for (const Location& location : hazard.locations) lines.push_back(location.line);
      out.emplace_back(hazard.kind, lines);
    }
    return out;
  }
  const RaceDetector& detector() const { return detector_; }

 private:
  int warps_;
  RaceDetector detector_;
  std::array<std::uint64_t, 32> addresses_{};
  mutable std::map<int, simt::InstructionInfo> infos_;
};

}  // namespace gpuprobe::hazards
