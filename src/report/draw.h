// Pictures in plain text: a warp-level access over banks or sectors, and the occupancy limits of a launch.
// Lanes are one character each: 0-9, then a-v for lanes 10 to 31.
//
//   bank      0       4       8       12      16      20      24      28
//   round  1  0 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .
//   round  2  1 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .
#pragma once

#include <string>
#include <vector>

#include "core/access_drawing.h"
#include "core/occupancy.h"

namespace gpuprobe::report {

struct DrawOptions {
  bool color = false;
  int rows = 8;  ///< at most this many rounds or 128-byte lines are drawn; the rest is counted
};

/// The picture's lines, at most 80 columns each: shared accesses as rounds over the 32 banks (from
/// drawing.rounds), others as the 128-byte lines and 32-byte sectors that they touch. One line of explanation
/// comes first. An access without active lanes gives one line that says so.
std::vector<std::string> draw_access(const AccessDrawing& drawing, const DrawOptions& options);

/// One bar for each resource, with blocks per SM; limiters are marked.
std::vector<std::string> draw_occupancy(const OccupancyTable& table, const DrawOptions& options);

}  // namespace gpuprobe::report
