// The library that the CUDA driver loads into a program (CUDA_INJECTION64_PATH): it reports the program's
// launches to the spool of `gpuprobe app`, and never ends or changes the program.
#include <errno.h>

#include <exception>

#include "inject/settings.h"
#include "inject/spool_file.h"
#include "metrics/cupti/inject/injected_log.h"
#include "metrics/cupti/inject/injection.h"

namespace gpuprobe::inject {
namespace {

void start() {
  const Settings settings = settings_from_environment();
  if (settings.folder.empty()) return;
  cupti::log_to_stderr(settings.selection.verbosity);
  auto spool = SpoolFile::open(settings.folder, program_invocation_short_name);
  if (!spool) return;
  // Left to the end of the process: threads may launch until then.
  SpoolFile& file = *spool->release();
  auto selection = Selection::make(settings.selection);
  if (!selection) return file.note(selection.error().what);
  if (const Status started = cupti::start_injection(std::move(*selection), file); !started)
    file.note(started.error().what + " " + started.error().hint);
}

}  // namespace
}  // namespace gpuprobe::inject

/// Called by the driver while cuInit runs. 1 = the program may go on.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  try {
    gpuprobe::inject::start();
  } catch (const std::exception&) {
    // Without a spool there is nobody to tell; the program must run all the same.
    return 1;
  }
  return 1;
}
