// Turns counts of machine instructions into access sites with their source lines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/counters.h"
#include "core/run.h"
#include "core/site.h"
#include "metrics/cupti/sass_session.h"

namespace gpuprobe::cupti {

/// Where an instruction of `function` at `offset` comes from; line 0 = not known.
using LineLookup = std::function<Location(const std::string& function, std::uint64_t offset)>;

/// The memory instructions among `records` (which are in order of function and offset), one site for each
/// kind of access that it made. `source_file` is the kernel's own file: an instruction that was inlined from
/// elsewhere (an atomic's header) is given the line of the nearest instruction before it, else after it, that
/// is in that file.
///
/// The ideal of shared-memory accesses is CUPTI's, active lanes x width / 128, except for 8 and 16-byte
/// accesses of partly active warps: a phase with one active lane costs as much as a full one, and which lanes
/// were active is not known, so the ideal is taken as all phases, but no more than was needed. A conflict is
/// never claimed there that no layout could cure.
std::vector<Site> sites_of(const std::vector<SassRecord>& records, const LineLookup& lines,
                           const std::string& source_file);

/// Sets the metrics that are exact sums over `sites` and `records`: those of the catalog that are bound to
/// smsp__sass_ counters.
void set_sass_counters(Counters& counters, const std::vector<SassRecord>& records,
                       const std::vector<Site>& sites, const std::string& chip);

}  // namespace gpuprobe::cupti
