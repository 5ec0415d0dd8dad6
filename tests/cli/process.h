// Runs gpuprobe as a process, the way a shell does, and keeps what it wrote and how it ended.
//
//   Outcome o = run({"transpose", "--pad", "-q"});          o.code == 0, o.out, o.err
//   Process p = Process::start(call);  p.signal(SIGINT);  Outcome o = p.wait();
#pragma once

#include <sys/types.h>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpuprobe::cli_test {

struct Outcome {
  int code = -1;      ///< exit code; -1 if a signal ended it
  int signal = 0;     ///< the signal that ended it; 0 = none
  bool hung = false;  ///< it did not end in time and was killed
  std::string out;
  std::string err;
};

struct Call {
  std::vector<std::string> arguments;
  std::string program;                             ///< "" = gpuprobe
  std::string folder;                              ///< working directory; "" = the test's own
  std::map<std::string, std::string> environment;  ///< added to, or in place of, that of the tests
  bool bare_environment = false;                   ///< only `environment` and PATH
  enum class Stdout { kCaptured, kClosed, kFullDevice, kReaderGone } standard_output = Stdout::kCaptured;
};

class Process {
 public:
  static Process start(const Call& call);
  Process(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  void signal(int number) const;
  bool is_running();
  /// Waits for the end; kills it after `limit`.
  Outcome wait(std::chrono::seconds limit = std::chrono::seconds(50));

 private:
  Process(pid_t id, int out, int err) : id_(id), out_(out), err_(err) {}
  pid_t id_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::optional<int> status_;
};

Outcome run(const Call& call);
Outcome run(std::vector<std::string> arguments);

/// A folder for the files of one test, removed with what is in it.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  std::vector<std::string> names() const;  ///< of its files, sorted

 private:
  std::string path_;
};

}  // namespace gpuprobe::cli_test
