// The accesses that a report draws: 32 lanes into banks or sectors, from the addresses that were really used.
#pragma once

#include <vector>

#include "core/access_drawing.h"
#include "core/finding.h"

namespace gpuprobe::cli {

/// A drawing of one access: for shared memory with the rounds in which it is served. `site.worst` must be
/// set.
AccessDrawing draw(const Site& site);

/// The worst site with known addresses of each limiting or present finding about memory, in order of the
/// findings.
std::vector<AccessDrawing> drawings_of(const Diagnosis& diagnosis);

}  // namespace gpuprobe::cli
