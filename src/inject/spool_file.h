// The spool of one process: metrics/recorded/spool.h describes it and reads it back.
//
//   auto spool = SpoolFile::open("/tmp/gpuprobe-x", "train");
//   (*spool)->launch(1, LaunchFate::kMeasured, "");
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>

#include "core/result.h"
#include "metrics/cupti/inject/launch_sink.h"

namespace gpuprobe::inject {

class SpoolFile : public cupti::LaunchSink {
 public:
  /// Creates a file of this process in `folder`. Errors: kMachine.
  static Result<std::unique_ptr<SpoolFile>> open(const std::string& folder, const std::string& program);
  ~SpoolFile() override;
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  void kernel(int id, const Run& run) override;
  void launch(int id, cupti::LaunchFate fate, const std::string& why) override;
  void graph() override;
  void not_selected() override;
  void note(const std::string& text) override;

 private:
  explicit SpoolFile(int descriptor);
  void append(const std::string& line);
  bool is_ours() const;

  int descriptor_;
  struct ::stat file_ = {};
};

}  // namespace gpuprobe::inject
