// Where the injected profiler hands its results to: the spool in production, a list in tests.
#pragma once

#include <string>

#include "core/run.h"

namespace gpuprobe::cupti {

/// What became of one launch.
enum class LaunchFate {
  kMeasured,
  kCounted,  ///< an earlier launch of the same kernel and configuration was measured
  kSkipped,  ///< not measured, for a reason
};
/// "measured", "counted", "skipped".
inline const char* to_string(LaunchFate fate) {
  return fate == LaunchFate::kMeasured ? "measured" : fate == LaunchFate::kCounted ? "counted" : "skipped";
}

class LaunchSink {
 public:
  virtual ~LaunchSink() = default;
  /// A kernel and configuration seen for the first time, or what is now known of it (replaces what was said
  /// before).
  virtual void kernel(int id, const Run& run) = 0;
  /// One launch of it that is done; `why` is empty unless it was skipped.
  virtual void launch(int id, LaunchFate fate, const std::string& why) = 0;
  /// A launch of a CUDA graph, whose kernels cannot be replayed one by one.
  virtual void graph() = 0;
  /// A launch that the user did not select.
  virtual void not_selected() = 0;
  /// Something that the reader of the report must know.
  virtual void note(const std::string& text) = 0;
};

}  // namespace gpuprobe::cupti
