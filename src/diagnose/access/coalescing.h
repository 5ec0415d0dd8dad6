// Why a kind of global access touches more sectors than it had to: the excess, split by cause. The rules for
// scattered lanes, alignment, narrow blocks and cp.async destinations each report their own part of it, so
// that one excess is never blamed twice.
//
//   Coalescing c = split_excess(run, traffic.global_load, traffic.async_copy);
//   c.misaligned.excess       // sectors that an aligned start would save
#pragma once

#include <string>
#include <vector>

#include "core/run.h"
#include "diagnose/access/traffic.h"

namespace gpuprobe::diagnose {

/// An unaligned but contiguous request touches one sector more than it had to, whatever its width.
inline constexpr double kMisalignedExcessPerRequest = 1.0;
/// An excess below this part of a sector a request is a few scattered requests among many good ones, not a
/// start off the boundary that all requests share. 1/4: a start that is off in one row of four.
inline constexpr double kMisalignedAtLeast = 0.25;

struct ExcessPart {
  double excess = 0;    ///< sectors
  double requests = 0;  ///< of the sites that take part
  double actual = 0;    ///< sectors of these sites
  double ideal = 0;
  std::vector<Site> sites;  ///< with this cause, most excess first; empty if addresses are not known
};

struct Coalescing {
  ExcessPart scattered;         ///< lanes further apart than their width
  ExcessPart misaligned;        ///< contiguous lanes that do not start on a 32-byte boundary
  ExcessPart narrow_block;      ///< rows of a block narrower than a warp that do not fill whole sectors
  ExcessPart async_copy;        ///< cp.async with a conflicting shared destination
  bool from_addresses = false;  ///< false: the cause is inferred from totals
};

Coalescing split_excess(const Run& run, const AccessTotals& totals, const AccessTotals& async_copy);

}  // namespace gpuprobe::diagnose
