// Ctrl-C: by default the process ends at once and leaves no half-written file; a sweep stops instead and
// keeps what is finished.
//
//   const InterruptGuard guard;               // from here on Ctrl-C only raises a flag (a second one ends
//   all) while (work && !interrupted()) ...
#pragma once

#include <string>

namespace gpuprobe::cli {

/// Exit code of a run that Ctrl-C ended: 128 + SIGINT, as shells count it.
inline constexpr int kInterruptedExit = 130;

/// Installs the handler of SIGINT, SIGTERM and SIGHUP that removes the registered file and ends the process
/// by that signal. A signal that was ignored when gpuprobe started stays ignored. From then on the process
/// must end by std::quick_exit: std::exit is taken for the SIGTERM handler of a library.
void install_interrupt_handler();

/// Registers the one unfinished file to remove; "" for none.
void remove_on_interrupt(const std::string& path);

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// True once Ctrl-C was pressed under a guard.
bool interrupted();

}  // namespace gpuprobe::cli
