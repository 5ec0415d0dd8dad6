// One memory access in the source: which line, what it did, how often, what it cost and what it had to cost.
//
//   transpose/kernel.cu:21  shared.load  4 bytes  524288 requests  16777216 wavefronts (ideal 524288)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpuprobe {

enum class AccessKind {
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kAsyncCopyShared,  ///< the shared-memory destination of cp.async (its global side is a kGlobalLoad)
  kMatrixLoad,       ///< ldmatrix
  kMatrixStore,      ///< stmatrix
  kLocalLoad,
  kLocalStore,
};

/// "global.load", "shared.store", "shared.async_copy", "shared.matrix_load", "local.load" ...
std::string_view to_string(AccessKind kind);
std::optional<AccessKind> access_kind_from_string(std::string_view name);
/// True for accesses whose cost is counted in wavefronts; the others are counted in sectors.
bool is_shared(AccessKind kind);

/// The addresses of one warp-level instruction, for drawing it and for searching a cure.
struct LanePattern {
  std::array<std::uint64_t, 32> address{};  ///< byte addresses; only differences and alignment matter
  std::uint32_t active = 0;                 ///< bit i set = lane i takes part
  std::uint32_t width = 4;                  ///< bytes per lane
};

struct Site {
  std::string file;
  int line = 0;  ///< 0 = no line information; then `instruction` names the place
  std::string function;
  std::string instruction;  ///< "ld.shared.f32" or a SASS mnemonic with offset
  AccessKind access = AccessKind::kGlobalLoad;
  std::uint32_t width = 4;  ///< bytes per lane
  double requests = 0;      ///< warp-level instructions with at least one active lane
  double actual = 0;        ///< sectors, or wavefronts for shared memory
  double ideal = 0;         ///< the same accesses with the best layout (semantics: ideal)
  double lines = 0;  ///< distinct 128-byte lines, summed over requests (L1 tag look-ups); 0 = not known
  double active_lanes = 32;  ///< mean active lanes per request
  double misaligned_excess =
      0;  ///< part of (actual - ideal) that starting on a 32-byte boundary would remove
  double same_address_lanes = 1;     ///< atomics: mean over requests of the most lanes on one word
  bool depends_on_merging = false;   ///< the count changes if the assembler merges neighbouring accesses
  std::optional<LanePattern> worst;  ///< the most expensive request seen, if addresses are known

  double excess() const { return actual - ideal; }
};

}  // namespace gpuprobe
