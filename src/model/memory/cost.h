// What one warp-level memory instruction costs: sectors of global memory, wavefronts of shared memory.
// The rules are measured facts (H200, sm_90): see docs/model.md and the tests against the recorded truth
// table.
//
//   LanePattern p = ...;                       // 32 addresses, active mask, bytes per lane
//   GlobalCost g = global_cost(p);             // g.sectors, g.ideal
//   SharedCost s = shared_load_cost(p);        // s.wavefronts, s.ideal, s.hardware_conflicts
#pragma once

#include <cstdint>
#include <vector>

#include "core/site.h"

namespace gpuprobe::memory {

inline constexpr int kWarpLanes = 32;
inline constexpr int kSectorBytes = 32;  ///< an aligned 32-byte piece of a 128-byte line
inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;

struct GlobalCost {
  int sectors = 0;          ///< distinct 32-byte sectors touched by active lanes
  int ideal = 0;            ///< min(sectors, ceil(active lanes x width / 32))
  int lines = 0;            ///< distinct 128-byte lines
  int aligned_sectors = 0;  ///< sectors if the lowest address started on a 32-byte boundary
  int same_word_lanes = 1;  ///< atomics: most lanes on one word
};

/// Loads and stores of global memory, up to 32 bytes a lane; also of local memory at its interleaved
/// addresses.
GlobalCost global_cost(const LanePattern& pattern);
/// Reductions and atomics: a sector is worked on once for each lane on its most wanted word (contention);
/// `ideal` is that of a plain access.
GlobalCost global_atomic_cost(const LanePattern& pattern);

struct SharedCost {
  int wavefronts = 0;
  int ideal =
      0;  ///< the same lanes and width at distinct banks (loads: with the merging the addresses allow)
  int hardware_conflicts = 0;  ///< what the hardware conflict counter shows without arbitration noise
  int same_word_lanes = 1;     ///< atomics: most lanes on one word
};

SharedCost shared_load_cost(const LanePattern& pattern);
SharedCost shared_store_cost(const LanePattern& pattern);
/// Shared atomics and reductions: lanes on the same word serialise.
SharedCost shared_atomic_cost(const LanePattern& pattern);
/// Shared increments that the hardware combines (model/prediction/combined_increments.h): as a store, lanes
/// on the same word are one.
SharedCost shared_increment_cost(const LanePattern& pattern);
/// ldmatrix / stmatrix: `pattern.address` holds the row addresses of the first 8 x `matrices` lanes.
SharedCost matrix_cost(const LanePattern& pattern, int matrices);
/// The shared destination of cp.async (16, 8 or 4 bytes a lane).
SharedCost async_copy_shared_cost(const LanePattern& pattern);
/// Global sectors of cp.async, given source and shared destination: lanes that are written to shared memory
/// in different rounds do not share a fetched sector, so a conflicting destination multiplies them.
GlobalCost async_copy_global_cost(const LanePattern& source, const LanePattern& destination);

/// How one shared access is served: for each phase (group of lanes), the rounds; each round lists lanes
/// served. Phases are numbered from 0; merged phases of a load have the number of the first. For drawing and
/// the bank lab.
struct ServiceRound {
  int phase = 0;
  std::vector<int> lanes;
};
std::vector<ServiceRound> service_rounds(const LanePattern& pattern, bool is_load);

}  // namespace gpuprobe::memory
