// A program that gpuprobe starts and waits for: its own streams, its own exit status, a time limit.
//
//   auto program = LaunchedProgram::start({"./train", "--epochs", "1"}, {{"CUDA_INJECTION64_PATH", "..."}});
//   ProgramEnd end = program->wait(60.0);      // {.status = 139, .text = "ended by signal 11 (Segmentation
//   fault)"}
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace gpuprobe::cli {

struct ProgramEnd {
  int status = 0;          ///< as a shell counts it: the exit status, or 128 + the signal
  bool timed_out = false;  ///< it and what it had started were killed
  std::string text;        ///< how it ended, if not by exit status 0: "exit status 3"
};

class LaunchedProgram {
 public:
  /// Starts arguments[0], looked up in PATH, with `variables` added to the environment. Errors: kUsage if it
  /// cannot be run.
  static Result<LaunchedProgram> start(const std::vector<std::string>& arguments,
                                       const std::vector<std::pair<std::string, std::string>>& variables);

  /// Waits for its end; after `timeout_s` seconds (0 = no limit) ends it and all its descendants: SIGTERM,
  /// SIGKILL two seconds later. Ctrl-C reaches the program by itself.
  ProgramEnd wait(double timeout_s);

 private:
  explicit LaunchedProgram(pid_t process) : process_(process) {}
  pid_t process_;
};

}  // namespace gpuprobe::cli
