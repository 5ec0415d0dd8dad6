// A progress bar on stderr; only on a terminal, and gone when the work is done.
//
//   Progress progress(12, true);
//   progress.step("--tile 16");         [######        ] 5/12 --tile 16
#pragma once

#include <cstddef>
#include <string>

namespace gpuprobe::cli {

class Progress {
 public:
  /// Shows nothing unless `wanted` and stderr is a terminal.
  Progress(std::size_t total, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The next item begins.
  void step(const std::string& label);

 private:
  std::size_t total_;
  std::size_t done_ = 0;
  bool visible_;
};

}  // namespace gpuprobe::cli
