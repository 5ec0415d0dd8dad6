// The combinations of a sweep and the table of their results.
//
//   auto combinations = expand(family, {{"tile", {"8", "16"}}, {"pad", {"0", "1"}}});      // 4 of them
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/kernel_commands.h"
#include "cli/sweep_columns.h"
#include "cli/table.h"
#include "core/report.h"
#include "core/result.h"
#include "kernels/family.h"

namespace gpuprobe::cli {

/// The typed values of each swept parameter, in the order typed.
using SweptValues = std::map<std::string, std::vector<std::string>, std::less<>>;

/// A sweep of more than this is taken for a mistake.
inline constexpr std::size_t kMostCombinations = 10000;

/// Every combination, in the family's order of parameters, the last one fastest. Errors: kUsage if there are
/// more than kMostCombinations.
Result<std::vector<TypedValues>> expand(const KernelFamily& family, const SweptValues& swept);

/// What became of one combination.
struct SweepRow {
  TypedValues values;
  std::vector<DiagnosedRun> runs;       ///< empty if it failed
  std::string failure;                  ///< why; empty if it did not
  ErrorCode code = ErrorCode::kKernel;  ///< of the failure
};

/// The runs of all rows, in order.
std::vector<DiagnosedRun> all_runs(const std::vector<SweepRow>& rows);

/// One line a run: the swept values, then `columns`. In a line of a failure the last one says why.
Table sweep_table(const KernelFamily& family, const SweptValues& swept, const std::vector<SweepRow>& rows,
                  const std::vector<SweepColumn>& columns);

}  // namespace gpuprobe::cli
