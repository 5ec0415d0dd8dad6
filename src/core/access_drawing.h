// One warp-level access, worked out and ready to be drawn: where each lane goes, and in which round a shared
// access is served. Whoever knows the memory model fills it in; whoever draws it needs no model.
//
//   AccessDrawing d{site.file, site.line, site.instruction, site.access, *site.worst, {}};
//   for (const auto& r : memory::service_rounds(*site.worst, is_load)) d.rounds.push_back({r.phase,
//   r.lanes});
#pragma once

#include <string>
#include <vector>

#include "core/site.h"

namespace gpuprobe {

struct AccessDrawing {
  std::string file;
  int line = 0;             ///< 0 = no line information
  std::string instruction;  ///< "ld.shared.f32"; may be empty
  AccessKind access = AccessKind::kSharedLoad;
  LanePattern pattern;

  /// Lanes served by one wavefront. Phases are numbered from 0 and served one after the other.
  struct Round {
    int phase = 0;
    std::vector<int> lanes;
  };
  std::vector<Round> rounds;  ///< shared memory only; empty for global and local accesses
};

}  // namespace gpuprobe
