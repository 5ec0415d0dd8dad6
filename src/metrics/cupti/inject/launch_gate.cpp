#include "metrics/cupti/inject/launch_gate.h"

namespace gpuprobe::cupti {

LaunchGate::Pass& LaunchGate::Pass::operator=(Pass&& other) noexcept {
  std::swap(gate_, other.gate_);
  std::swap(alone_, other.alone_);
  return *this;
}

LaunchGate::Pass::~Pass() {
  if (gate_) gate_->leave(alone_);
}

LaunchGate::Pass LaunchGate::enter() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !closed_; });
  ++inside_;
  return {this, false};
}

std::optional<LaunchGate::Pass> LaunchGate::close(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::unique_lock lock(mutex_);
  if (!changed_.wait_until(lock, deadline, [this] { return !closed_; })) return std::nullopt;
  closed_ = true;
  if (!changed_.wait_until(lock, deadline, [this] { return inside_ == 0; })) {
    closed_ = false;
    changed_.notify_all();
    return std::nullopt;
  }
  return Pass{this, true};
}

void LaunchGate::leave(bool alone) {
  const std::lock_guard lock(mutex_);
  if (alone)
    closed_ = false;
  else
    --inside_;
  changed_.notify_all();
}

}  // namespace gpuprobe::cupti
