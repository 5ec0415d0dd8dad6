// What an injected profiler leaves behind: a folder with one file a process, one JSON line a record, each
// written whole before the program goes on, so that a program that crashes loses nothing that was finished.
//
//   {"gpuprobe_spool": 1, "process": 4711, "program": "train"}
//   {"id": 1, "kernel": {run of the report's schema}}          a kernel and configuration; a later one
//   replaces it
//   {"id": 1, "launch": "measured"}                             a launch that is done; "counted", "skipped"
//   with "why"
//   {"not_selected": true} {"graph": true} {"note": "..."}
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/run.h"

namespace gpuprobe::recorded {

inline constexpr int kSpoolVersion = 1;

/// One kernel and configuration, and what became of its launches.
struct SpooledKernel {
  Run run;  ///< measured values, if any launch was measured
  std::uint64_t measured = 0;
  std::uint64_t counted = 0;
  std::uint64_t skipped = 0;
  std::map<std::string, std::uint64_t> why_skipped;
  int processes = 1;

  std::uint64_t launches() const { return measured + counted + skipped; }
};

struct Spool {
  std::vector<SpooledKernel> kernels;  ///< the same kernel of several processes is one; first seen first
  std::vector<std::string> notes;      ///< what the profiler had to say, and what could not be read
  std::uint64_t not_selected = 0;
  std::uint64_t graphs = 0;
  int processes = 0;
};

/// Adds the records of one process to `spool`. A line that cannot be read is noted and passed over; a last
/// line without its end is one that the process was writing when it was killed. Never throws.
void read_spool_text(std::string_view text, std::string_view name, Spool& spool);

/// All files of `folder`. Errors: kMachine if the folder cannot be read.
Result<Spool> read_spool(const std::string& folder);

}  // namespace gpuprobe::recorded
