// The change of a shared array's layout that frees the observed accesses of bank conflicts, and what it
// costs.
//
//   SharedLayoutCure cure = shared_layout_cure(run, worst_site);
//   cure.text    "pad each row by 1 element of 4 bytes (tile[..][33] in place of [32]), or XOR ..."
//   cure.price   "128 bytes of shared memory a block: 2 blocks per SM as before"
#pragma once

#include <string>

#include "core/run.h"

namespace gpuprobe::diagnose {

struct SharedLayoutCure {
  std::string text;   ///< "" if the addresses are not known or no layout of this kind helps
  std::string price;  ///< of the padding; a swizzle takes no memory
  bool searched =
      false;  ///< true if addresses were known, so that an empty text means: no padding or swizzle helps
};

/// Searches for all accesses of the run to the array of `flagged` at once, so that a cure of the loads does
/// not make the stores conflict.
SharedLayoutCure shared_layout_cure(const Run& run, const Site& flagged);

}  // namespace gpuprobe::diagnose
