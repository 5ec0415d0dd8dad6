#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/interrupt.h"
#include "cli/rank.h"

namespace gpuprobe::cli {
namespace {

/// 0, or the errno of the failure.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or write elsewhere with --output FILE";
    case EBADF:
      return "stdout is closed; write to a file with --output FILE";
    default:
      return "write elsewhere with --output FILE";
  }
}

tl::unexpected<Error> write_failure(const std::string& name, int error) {
  return fail(ErrorCode::kMachine, "the report could not be written to " + name + ": " + std::strerror(error),
              remedy(error));
}

tl::unexpected<Error> open_failure(const std::string& path, int error) {
  return fail(ErrorCode::kUsage, "cannot write '" + path + "': " + std::strerror(error),
              "give --output a path in a directory that exists and that you may write to");
}

}  // namespace

void prepare_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // Opened the wrong way round on purpose: using it fails with EBADF, as if it were still closed.
    [[maybe_unused]] const int opened = ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
  }
}

Status write_stdout(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return {};
  return write_failure("stdout", error);
}

bool use_color(std::string_view mode, int descriptor) {
  if (mode == "always") return true;
  if (mode == "never") return false;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color && *no_color) return false;
  const char* terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && terminal && std::string_view(terminal) != "dumb";
}

Result<std::unique_ptr<Output>> Output::open(const std::string& pattern) {
  const std::string path = with_rank(pattern);
  if (path.empty() || path == "-") return std::unique_ptr<Output>(new Output(STDOUT_FILENO, "", ""));
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) return open_failure(path, EISDIR);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return open_failure(path, errno);
    return std::unique_ptr<Output>(new Output(descriptor, path, ""));
  }
  // Through a link the file that it points to is replaced, not the link.
  std::string target = path;
  if (std::filesystem::exists(status)) {
    target = std::filesystem::canonical(path, ignored).string();
    if (target.empty()) target = path;
    if (::access(target.c_str(), W_OK) != 0) return open_failure(path, errno);
  }
  std::string temporary = target + ".XXXXXX";
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return open_failure(path, errno);
  remove_on_interrupt(temporary);
  return std::unique_ptr<Output>(new Output(descriptor, target, temporary));
}

Output::~Output() {
  if (descriptor_ > 2) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  remove_on_interrupt("");
}

Status Output::write(std::string_view text) {
  if (is_stdout()) return write_stdout(text);
  if (const int error = write_all(descriptor_, text)) return write_failure("'" + path_ + "'", error);
  return temporary_.empty() ? Status() : put_in_place();
}

Status Output::put_in_place() {
  struct stat existing {};
  mode_t mode = 0;
  if (::stat(path_.c_str(), &existing) == 0) {
    mode = existing.st_mode & 07777;
  } else {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = 0666 & ~mask;
  }
  if (::fchmod(descriptor_, mode) != 0 || ::fsync(descriptor_) != 0)
    return write_failure("'" + path_ + "'", errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return write_failure("'" + path_ + "'", errno);
  remove_on_interrupt("");
  temporary_.clear();
  return {};
}

}  // namespace gpuprobe::cli
