// The bank lab: one warp reads a tile of shared memory, and one sees which lane goes to which word and bank,
// and in which round it is served.
//
//   BankAccess access{.pattern = BankPattern::kColumn, .pitch = 32};
//   std::cout << bank_report(access, 0);      // lane table, banks, rounds, cure
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/site.h"
#include "model/memory/cost.h"
#include "model/memory/cure.h"

namespace gpuprobe::cli {

enum class BankPattern {
  kRow,           ///< lane i: element i
  kColumn,        ///< lane i: first element of row i
  kPaddedColumn,  ///< the same with one more element in each row
  kBroadcast,     ///< all lanes: element 0
  kStride,        ///< lane i: element i x stride
};
std::optional<BankPattern> bank_pattern_from_string(std::string_view name);

struct BankAccess {
  BankPattern pattern = BankPattern::kColumn;
  int pitch = 32;        ///< elements of a row
  int stride = 2;        ///< elements, for kStride
  int active = 32;       ///< lanes 0 .. active - 1 take part
  int width = 4;         ///< bytes of an element: 1, 2, 4, 8, 16
  bool swizzle = false;  ///< element (row, column) lies at column ^ row
  bool is_load = true;
};

/// Errors: kUsage if the combination makes no sense (a swizzle needs a pitch that is a power of two).
Status check(const BankAccess& access);

/// Byte addresses of the lanes.
LanePattern lane_pattern(const BankAccess& access);

memory::SharedCost bank_cost(const BankAccess& access);

/// The smallest padding and swizzle of the tile's rows that free the access; for a row pitch that is not
/// padded yet.
memory::LayoutCure bank_cure(const BankAccess& access);

/// Everything as text. `round` selects one service round (1 ...), 0 lists all. Errors: kUsage for a round
/// that there is not.
Result<std::string> bank_report(const BankAccess& access, int round);

}  // namespace gpuprobe::cli
