#include "metrics/cupti/inject/waiting_kernels.h"

#include <thread>

namespace gpuprobe::cupti {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(1);

}  // namespace

void WaitingKernels::launched(CUstream stream) {
  const std::lock_guard lock(mutex_);
  CUevent& mark = marks_[stream];
  // A new event each time: the stream may be another one, of another context, under an address used before.
  if (mark) driver_->EventDestroy(mark);
  mark = nullptr;
  if (driver_->EventCreate(&mark, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS) {
    if (driver_->EventRecord(mark, stream) == CUDA_SUCCESS) return;
    driver_->EventDestroy(mark);
  }
  marks_.erase(stream);
}

void WaitingKernels::forget() {
  const std::lock_guard lock(mutex_);
  marks_.clear();
}

bool WaitingKernels::done() {
  const std::lock_guard lock(mutex_);
  for (auto mark = marks_.begin(); mark != marks_.end();) {
    if (driver_->EventQuery(mark->second) == CUDA_ERROR_NOT_READY) return false;
    driver_->EventDestroy(mark->second);
    mark = marks_.erase(mark);
  }
  return true;
}

bool WaitingKernels::done_within(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

}  // namespace gpuprobe::cupti
