// The streams that the program is recording into CUDA graphs. While there is one, calls that wait for the GPU
// are forbidden: they would break the recording.
//
//   captures.begin(stream);   if (captures.any()) ...measure nothing...;   captures.end(stream);
#pragma once

#include <cuda.h>

#include <mutex>
#include <set>

namespace gpuprobe::cupti {

class StreamCaptures {
 public:
  void begin(CUstream stream) {
    const std::lock_guard lock(mutex_);
    streams_.insert(stream);
  }
  /// Also after a begin() of which the driver said that it failed.
  void end(CUstream stream) {
    const std::lock_guard lock(mutex_);
    if (const auto found = streams_.find(stream); found != streams_.end()) streams_.erase(found);
  }
  bool any() const {
    const std::lock_guard lock(mutex_);
    return !streams_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::multiset<CUstream> streams_;
};

}  // namespace gpuprobe::cupti
