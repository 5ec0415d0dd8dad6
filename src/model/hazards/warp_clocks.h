// What each warp of a block knows of the others: a vector clock for each, moved on by barriers and by strong
// accesses. A release (st.release, or a fence and then any strong write) that a strong read of another warp
// takes its value from, and that reader's acquire (ld.acquire, or a fence behind the read), order what came
// before the one and comes after the other: PTX ISA, "Memory Consistency Model". This is how cuda::barrier,
// cuda::atomic and locks order accesses where there is no bar.sync.
//
//   WarpClocks clocks(8);
//   clocks.strong_write(0, flag, false, {true, false, true});     // warp 0: st.release [flag]
//   clocks.strong_read(1, flag, {true, true, false});             // warp 1: ld.acquire [flag]
//   clocks.is_before(0, time_of_an_access_of_warp_0, 1);          // true for all before the release
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/simt/machine.h"

namespace gpuprobe::hazards {

class WarpClocks {
 public:
  static constexpr int kMaxWarps = 32;
  using Times = std::array<std::uint32_t, kMaxWarps>;  ///< an interval of each warp; 0 = none

  explicit WarpClocks(int warps);

  int warps() const { return warps_; }
  /// The interval that the warp is in: what it accesses now happens at this time.
  std::uint32_t now(int warp) const { return clocks_[index(warp)][index(warp)]; }
  /// What warp `other` did at `time` is ordered before what `warp` does now.
  bool is_before(int other, std::uint32_t time, int warp) const {
    return time <= clocks_[index(warp)][index(other)];
  }

  void barrier(const std::vector<bool>& joined);
  void fence(int warp, simt::MemoryOrder order);
  /// `object` is the address of the value; `reads_too`: an atomic, which hands on what it read.
  void strong_write(int warp, std::uint64_t object, bool reads_too, simt::MemoryOrder order);
  void strong_read(int warp, std::uint64_t object, simt::MemoryOrder order);
  /// A weak write: who reads the value has synchronised with nobody.
  void weak_write(std::uint64_t object) {
    if (!released_.empty()) released_.erase(object);
  }

 private:
  static std::size_t index(int warp) { return static_cast<std::size_t>(warp); }

  int warps_;
  std::array<Times, kMaxWarps> clocks_{};  ///< [w][v]: the latest interval of v that is before w's now
  std::array<Times, kMaxWarps> fenced_{};  ///< what a strong write of the warp releases by itself
  std::array<Times, kMaxWarps> seen_{};    ///< what the warp's next fence takes over from its strong reads
  std::unordered_map<std::uint64_t, Times> released_;  ///< with the value that an address holds
};

}  // namespace gpuprobe::hazards
