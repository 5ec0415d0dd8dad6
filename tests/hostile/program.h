// Runs the real gpuprobe on a folder of its own, and says how it ended.
//
//   Folder folder;  folder.write("bad.cu", "...");
//   Ended ended = run_gpuprobe({"run", "bad.cu"}, folder);     // ended.code == 2, ended.error ...
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gpuprobe {

/// A literal with the zeros that it holds.
template <std::size_t kSize>
std::string bytes(const char (&literal)[kSize]) {
  return std::string(literal, kSize - 1);
}

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpuprobe-hostile-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::filesystem::path path_;
};

struct Ended {
  int code = -1;      ///< exit code; -1 if a signal ended it
  int signal = 0;     ///< SIGALRM: it hung
  long peak_kib = 0;  ///< of memory
  std::string output, error;
};

/// Runs it in `folder` with stdin empty; a run of more than `seconds` is killed. `out` and `err` are where
/// its streams go; a name without a slash is a file in the folder.
inline Ended run_gpuprobe(const std::vector<std::string>& arguments, const Folder& folder,
                          unsigned seconds = 30, const std::string& out = "stdout.txt",
                          const std::string& err = "stderr.txt") {
  std::vector<std::string> all{GPUPROBE_BINARY};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& one : all) argv.push_back(one.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.path().c_str()) != 0) _exit(125);
    const int from = open("/dev/null", O_RDONLY);
    const int to = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int errors = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (dup2(from, 0) < 0 || dup2(to, 1) < 0 || dup2(errors, 2) < 0) _exit(125);
    alarm(seconds);  // survives exec
    execv(GPUPROBE_BINARY, argv.data());
    _exit(126);
  }
  Ended ended;
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return ended;
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.peak_kib = usage.ru_maxrss;
  if (out.find('/') == std::string::npos) ended.output = folder.read(out);
  if (err.find('/') == std::string::npos) ended.error = folder.read(err);
  return ended;
}

}  // namespace gpuprobe
