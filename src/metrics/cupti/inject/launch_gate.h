// While one launch of the program is measured, no other work of the program may reach the GPU: it would be
// counted, or be undone when the measured kernel's memory is restored between two passes.
//
//   LaunchGate::Pass pass = gate.enter();                    // an ordinary call: any number at a time
//   if (auto pass = gate.close(1s)) ...measure...            // nobody else inside, nobody comes in
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace gpuprobe::cupti {

class LaunchGate {
 public:
  /// The right to be inside, until it is destroyed; in any thread.
  class Pass {
   public:
    Pass() = default;
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)), alone_(other.alone_) {}
    Pass& operator=(Pass&& other) noexcept;
    ~Pass();

   private:
    friend class LaunchGate;
    Pass(LaunchGate* gate, bool alone) : gate_(gate), alone_(alone) {}
    LaunchGate* gate_ = nullptr;
    bool alone_ = false;
  };

  /// Waits while the gate is closed. A thread that is inside must not enter again: it would wait for a closer
  /// that waits for it.
  Pass enter();
  /// Waits until all who are inside have left; newcomers wait meanwhile. nullopt if that takes longer than
  /// `limit`, as it does when a call of another thread waits for the GPU.
  std::optional<Pass> close(std::chrono::milliseconds limit);

 private:
  void leave(bool alone);

  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool closed_ = false;  ///< also while the closer waits for the others to leave
};

}  // namespace gpuprobe::cupti
