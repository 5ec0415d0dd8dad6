// Everything that one source found out about one run of a kernel. The rules read nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/buffers.h"
#include "core/compiled_kernel.h"
#include "core/counters.h"
#include "core/device_spec.h"
#include "core/kernel.h"
#include "core/launch.h"
#include "core/occupancy.h"
#include "core/site.h"

namespace gpuprobe {

/// A place in a source file.
struct Location {
  std::string file;
  int line = 0;
};

enum class HazardKind {
  kSharedRace,           ///< two unordered accesses to one shared word, at least one a store
  kDivergentBarrier,     ///< a barrier that not all threads of the block reach
  kUninitialisedShared,  ///< a read of shared memory that nobody wrote
  kOutOfBounds,
  kMisalignedAccess,  ///< an address that is not a multiple of the access width: a fault on the GPU
  kBlockOrder,        ///< the result depends on the order in which blocks run
  kBlockWait,         ///< a block waits for another block
};
/// "shared-race", "divergent-barrier", "uninitialised-shared", "out-of-bounds", "misaligned-address",
/// "block-order", "block-wait".
std::string_view to_string(HazardKind kind);
std::optional<HazardKind> hazard_kind_from_string(std::string_view name);

/// A correctness problem seen while executing the kernel.
struct Hazard {
  HazardKind kind = HazardKind::kSharedRace;
  std::string text;                 ///< one sentence: who, what, address
  std::vector<Location> locations;  ///< for a race: the earlier access, then the later one
  std::uint64_t count = 1;          ///< occurrences
};

/// "passed", "failed", "not-checked".
std::string_view to_string(CheckOutcome::State state);
std::optional<CheckOutcome::State> check_state_from_string(std::string_view name);

/// Which part of the grid a prediction executed.
struct Sampling {
  std::uint64_t blocks_total = 0;
  std::uint64_t blocks_executed = 0;
  bool timed_out = false;  ///< the time limit ended it before the blocks that were chosen had run
  bool exact() const { return blocks_total == blocks_executed && !timed_out; }
};

/// Timing of one run (all steps), outside the profiled passes.
struct Timing {
  double median_s = 0;
  double min_s = 0;
  double max_s = 0;
  int repeats = 0;
};

/// Where and with what the run was made.
struct Environment {
  std::string gpuprobe_version;
  std::string device;    ///< "NVIDIA H200"; empty for a prediction
  std::string arch;      ///< "sm_90"
  std::string driver;    ///< "580.159.04"
  std::string cuda;      ///< CUDA version of the driver
  std::string cupti;     ///< CUPTI version
  std::string compiler;  ///< "NVRTC 13.0"
  std::string date;      ///< ISO 8601, UTC
};

struct Run {
  std::string kernel;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<Step> steps;  ///< args are not needed after the run and may be empty
  Origin source = Origin::kMeasured;
  std::string recorded_from;  ///< kRecorded: "measured", "predicted" or "nsight-compute"; else empty
  DeviceSpec device;
  Environment environment;
  std::vector<FunctionResources> resources;  ///< of the functions that ran
  Counters counters;
  std::vector<Site> sites;                ///< empty if the source could not attribute accesses to lines
  std::vector<OccupancyTable> occupancy;  ///< one for each distinct (entry, launch), heaviest first
  CheckOutcome check;
  std::vector<Hazard> hazards;
  std::optional<Sampling> sampling;  ///< predictions only
  std::optional<Timing> timing;      ///< measurements only
  std::vector<KernelCure> cures;     ///< alternatives that the kernel itself offers
  std::vector<std::string> notes;    ///< facts a reader must know ("registers read back: 38")
  double useful_bytes = 0;
  double useful_flops = 0;

  /// The launch that matters most: the one with the most threads.
  const Launch& main_launch() const;
};

}  // namespace gpuprobe
