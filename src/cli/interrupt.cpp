#include "cli/interrupt.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace gpuprobe::cli {
namespace {

// Everything that the handler touches: plain memory, no locks, no allocation.
std::array<char, PATH_MAX> unfinished_file{};
volatile std::sig_atomic_t has_unfinished_file = 0;
volatile std::sig_atomic_t keep_finished_work = 0;
volatile std::sig_atomic_t interrupt_seen = 0;

extern "C" void on_interrupt(int signal) {
  if (signal == SIGINT && keep_finished_work && !interrupt_seen) {
    interrupt_seen = 1;
    return;
  }
  if (has_unfinished_file) ::unlink(unfinished_file.data());
  // The shell must see which signal ended the process, or a loop around it would go on.
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// NVRTC installs a SIGTERM handler of its own while it compiles, which ends the process with exit(4): our
/// code for a wrong result. gpuprobe itself leaves by quick_exit, so nobody else comes here.
void on_foreign_exit() {
  if (has_unfinished_file) ::unlink(unfinished_file.data());
  ::signal(SIGTERM, SIG_DFL);
  sigset_t termination;
  sigemptyset(&termination);
  sigaddset(&termination, SIGTERM);
  ::sigprocmask(SIG_UNBLOCK, &termination, nullptr);
  ::raise(SIGTERM);
}

}  // namespace

void install_interrupt_handler() {
  std::atexit(on_foreign_exit);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current {};
    if (::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

void remove_on_interrupt(const std::string& path) {
  has_unfinished_file = 0;
  if (path.empty() || path.size() >= unfinished_file.size()) return;
  std::memcpy(unfinished_file.data(), path.c_str(), path.size() + 1);
  has_unfinished_file = 1;
}

InterruptGuard::InterruptGuard() {
  keep_finished_work = 1;
}
InterruptGuard::~InterruptGuard() {
  keep_finished_work = 0;
}

bool interrupted() {
  return interrupt_seen != 0;
}

}  // namespace gpuprobe::cli
