#include "cli/launched_program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>

namespace gpuprobe::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::milliseconds(5);
constexpr auto kGrace = std::chrono::seconds(2);  ///< between SIGTERM and SIGKILL

/// The environment of this process with `variables` in place of what they name.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : variables)
      replaced = replaced || (text.substr(0, name.size()) == name && text.substr(name.size(), 1) == "=");
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// `root` and every process that it started, directly or not, as far as they are still its descendants.
std::vector<pid_t> family_of(pid_t root) {
  std::vector<pid_t> family{root};
  for (std::size_t i = 0; i < family.size(); ++i) {
    const std::string id = std::to_string(family[i]);
    std::ifstream children("/proc/" + id + "/task/" + id + "/children");
    for (pid_t child = 0; children >> child;) family.push_back(child);
  }
  return family;
}

ProgramEnd end_of(int wait_status) {
  ProgramEnd end;
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    end.status = 128 + signal;
    end.text = "ended by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  } else {
    end.status = WEXITSTATUS(wait_status);
    if (end.status != 0) end.text = "exit status " + std::to_string(end.status);
  }
  return end;
}

}  // namespace

Result<LaunchedProgram> LaunchedProgram::start(
    const std::vector<std::string>& arguments,
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> words = arguments;
  std::vector<std::string> environment = environment_with(variables);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);  // gpuprobe ignores it; the program must not inherit that
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, words.front().c_str(), nullptr, &attributes,
                                   pointers(words).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return fail(ErrorCode::kUsage, "cannot run '" + words.front() + "': " + std::strerror(error),
                "check the path; everything after -- is the program and its arguments");
  return LaunchedProgram(process);
}

ProgramEnd LaunchedProgram::wait(double timeout_s) {
  const auto begin = Clock::now();
  const auto limit = std::chrono::duration<double>(timeout_s);
  std::vector<pid_t> condemned;
  Clock::time_point condemned_at;
  bool killed = false;
  for (;;) {
    int status = 0;
    const bool limited = timeout_s > 0;
    const pid_t done = ::waitpid(process_, &status, limited ? WNOHANG : 0);
    if (done == process_) {
      ProgramEnd end = end_of(status);
      end.timed_out = !condemned.empty();
      if (end.timed_out)
        for (const pid_t process : condemned)
          if (process != process_) ::kill(process, SIGKILL);
      return end;
    }
    if (done < 0 && errno != EINTR) return {1, false, "it could not be waited for"};
    if (!limited) continue;
    if (condemned.empty() && Clock::now() - begin >= limit) {
      condemned = family_of(process_);
      condemned_at = Clock::now();
      for (const pid_t process : condemned) ::kill(process, SIGTERM);
    } else if (!condemned.empty() && !killed && Clock::now() - condemned_at >= kGrace) {
      killed = true;
      for (const pid_t process : condemned) ::kill(process, SIGKILL);
    }
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace gpuprobe::cli
