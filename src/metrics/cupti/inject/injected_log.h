// The log of the injected library: on the program's stderr, each line with the process that it is of.
//
//   log_to_stderr(2);      // as gpuprobe -vv: "gpuprobe: [4711] device 0: 39 counters in 7 passes"
#pragma once

namespace gpuprobe::cupti {

/// Errors only, unless `verbosity` is 2 or more. Replaces the process's default logger of this library.
void log_to_stderr(int verbosity);

}  // namespace gpuprobe::cupti
