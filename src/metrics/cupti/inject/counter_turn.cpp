#include "metrics/cupti/inject/counter_turn.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <utility>

namespace gpuprobe::cupti {
namespace {

constexpr off_t kPresent = 0;
constexpr off_t kTurn = 1;
constexpr auto kPoll = std::chrono::milliseconds(2);

struct ::flock byte_lock(short type, off_t byte) {
  struct ::flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

bool set_lock(int file, short type, off_t byte) {
  auto lock = byte_lock(type, byte);
  return ::fcntl(file, F_SETLK, &lock) == 0;
}

}  // namespace

CounterTurn CounterTurn::join(const std::string& bus_address) {
  std::error_code ignored;
  // The user's number in the name: files of others in a shared folder cannot be opened for writing.
  const auto path = std::filesystem::temp_directory_path(ignored) /
                    ("gpuprobe-" + std::to_string(::getuid()) + "-" + bus_address + ".lock");
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file >= 0) set_lock(file, F_RDLCK, kPresent);
  return CounterTurn(file);
}

CounterTurn::CounterTurn(CounterTurn&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

CounterTurn::~CounterTurn() {
  if (file_ >= 0) ::close(file_);
}

bool CounterTurn::take(std::chrono::milliseconds limit) {
  if (file_ < 0) return true;
  // Not F_SETLKW: a process that was stopped in its turn must not hold up the others for ever.
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!set_lock(file_, F_WRLCK, kTurn)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

void CounterTurn::give() {
  if (file_ >= 0) set_lock(file_, F_UNLCK, kTurn);
}

bool CounterTurn::alone() const {
  if (file_ < 0) return true;
  auto lock = byte_lock(F_WRLCK, kPresent);
  return ::fcntl(file_, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK;
}

}  // namespace gpuprobe::cupti
