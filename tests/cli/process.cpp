#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ;

namespace gpuprobe::cli_test {
namespace {

using Clock = std::chrono::steady_clock;

/// One cache for all tests, so that a kernel is compiled once.
const std::string& cache_folder() {
  static const Folder kFolder;
  return kFolder.path();
}

std::vector<std::string> environment_of(const Call& call) {
  std::map<std::string, std::string> all;
  const auto keep = [&](const char* entry) {
    const std::string text = entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
  };
  if (call.bare_environment) {
    if (const char* path = std::getenv("PATH")) all["PATH"] = path;
    for (char** entry = environ; *entry != nullptr; ++entry)  // where the sanitizers of this build report to
      if (std::string(*entry).find("SAN_OPTIONS=") != std::string::npos) keep(*entry);
  } else {
    for (char** entry = environ; *entry != nullptr; ++entry) keep(*entry);
    all["XDG_CACHE_HOME"] = cache_folder();
    all.erase("NO_COLOR");
  }
  for (const auto& [name, value] : call.environment) all[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read = ends[0];
    write = ends[1];
  }
};

}  // namespace

Process Process::start(const Call& call) {
  Pipe out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  switch (call.standard_output) {
    case Call::Stdout::kClosed:
      posix_spawn_file_actions_addclose(&actions, 1);
      break;
    case Call::Stdout::kFullDevice:
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/full", O_WRONLY, 0);
      break;
    default:
      posix_spawn_file_actions_adddup2(&actions, out.write, 1);
      break;
  }
  posix_spawn_file_actions_adddup2(&actions, err.write, 2);
  if (!call.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, call.folder.c_str());
  // The signals as a shell sets them, whatever started the tests.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments{call.program.empty() ? GPUPROBE_BINARY : call.program};
  arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
  std::vector<std::string> environment = environment_of(call);
  pid_t id = -1;
  const int failure = ::posix_spawnp(&id, arguments[0].c_str(), &actions, &attributes,
                                     pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(out.write);
  ::close(err.write);
  if (call.standard_output == Call::Stdout::kReaderGone) {
    ::close(out.read);
    out.read = -1;
  }
  if (failure != 0) throw std::runtime_error("cannot start " + arguments[0]);
  return {id, out.read, err.read};
}

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      status_(other.status_) {}

Process::~Process() {
  if (id_ > 0 && is_running()) {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
}

void Process::signal(int number) const {
  ::kill(id_, number);
}

bool Process::is_running() {
  if (status_) return false;
  int status = 0;
  if (::waitpid(id_, &status, WNOHANG) == 0) return true;
  status_ = status;
  return false;
}

Outcome Process::wait(std::chrono::seconds limit) {
  Outcome outcome;
  const auto end = Clock::now() + limit;
  while (out_ >= 0 || err_ >= 0) {
    std::vector<pollfd> waited;
    for (int descriptor : {out_, err_})
      if (descriptor >= 0) waited.push_back({descriptor, POLLIN, 0});
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) {
      outcome.hung = true;
      ::kill(id_, SIGKILL);
      break;
    }
    if (::poll(waited.data(), waited.size(), static_cast<int>(left)) <= 0) continue;
    for (const pollfd& ready : waited) {
      if (ready.revents == 0) continue;
      char piece[8192];
      const ssize_t read = ::read(ready.fd, piece, sizeof piece);
      if (read > 0) {
        (ready.fd == out_ ? outcome.out : outcome.err).append(piece, static_cast<std::size_t>(read));
      } else {
        ::close(ready.fd);
        (ready.fd == out_ ? out_ : err_) = -1;
      }
    }
  }
  while (is_running()) {
    if (Clock::now() > end && !std::exchange(outcome.hung, true)) ::kill(id_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(*status_)) outcome.code = WEXITSTATUS(*status_);
  if (WIFSIGNALED(*status_)) outcome.signal = WTERMSIG(*status_);
  return outcome;
}

Outcome run(const Call& call) {
  return Process::start(call).wait();
}

Outcome run(std::vector<std::string> arguments) {
  Call call;
  call.arguments = std::move(arguments);
  return run(call);
}

Folder::Folder() {
  path_ = (std::filesystem::temp_directory_path() / "gpuprobe_cli_XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  const std::string file = path_ + "/" + name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

std::string Folder::read(const std::string& name) const {
  std::ifstream file(path_ + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace gpuprobe::cli_test
