// Searches the layout of a shared array that removes its bank conflicts: the smallest row padding, and the
// smallest XOR swizzle of the columns.
//
//   std::vector<SharedUsePattern> uses = {{store, false}, {load, true}};    // all accesses to one array
//   const auto shape = guess_shape(uses);                                   // rows of 128 bytes, 4-byte
//   elements const LayoutCure cure = search_cure(uses, *shape); cure.pad_elements == 1;  cure.swizzle->mask
//   == 31                       // tile[32][33], or tile[y][x ^ y]
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/site.h"

namespace gpuprobe::memory {

/// How one warp uses the array. Addresses are byte offsets in the block's shared memory.
struct SharedUsePattern {
  LanePattern lanes;
  bool is_load = true;
};

/// A row-major array: element (row, column) lies at base + row * pitch_bytes + column * element_bytes.
struct ArrayShape {
  std::uint64_t base = 0;         ///< byte offset of the first element
  std::uint32_t pitch_bytes = 0;  ///< a multiple of element_bytes
  std::uint32_t element_bytes = 4;
};

/// Column c of row r moves to column c ^ (((r >> shift) & mask) * granule), in elements.
struct XorSwizzle {
  std::uint32_t mask = 0;
  std::uint32_t shift = 0;
  std::uint32_t granule = 1;  ///< elements of the widest access, which stay together
};

struct LayoutCure {
  int wavefronts_before = 0;  ///< of all patterns together
  int ideal = 0;              ///< the same accesses at distinct banks
  std::optional<int>
      pad_elements;  ///< smallest padding of each row that reaches the ideal; 0 = nothing to cure
  std::optional<XorSwizzle> swizzle;  ///< fewest bits, then smallest mask; absent if nothing is to be cured
};

/// The row pitch that the patterns betray: the commonest step between neighbouring lanes that is larger than
/// an element (a column is read down the rows). The element is the narrowest access; `base` stays 0. nullopt
/// if no pattern steps from row to row.
std::optional<ArrayShape> guess_shape(std::span<const SharedUsePattern> uses);

/// Tries paddings of 1 .. 128 bytes and all swizzles that keep columns inside a row whose length is a power
/// of two. A layout counts only if every pattern reaches its ideal, also when it is moved to the other
/// columns that its warp's neighbours use (elements narrower than a bank shift against the banks there), and
/// if every access stays aligned and in one piece. Takes some milliseconds at most.
LayoutCure search_cure(std::span<const SharedUsePattern> uses, const ArrayShape& shape);

}  // namespace gpuprobe::memory
