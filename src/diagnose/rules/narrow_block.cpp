// A block narrower than a warp: the 32 lanes cover several short rows, and each row takes whole sectors of
// its own. Fine where a row fills its sectors (8 floats), wasteful where it does not (16 bytes, 12 floats).
#include <fmt/format.h>

#include "diagnose/access/global_finding.h"
#include "diagnose/rule.h"

namespace gpuprobe::diagnose {
namespace {

std::vector<Finding> examine(const Context& context) {
  std::vector<Finding> findings;
  const Dim3& block = context.run.main_launch().block;
  for (const AccessTotals* totals : {&context.traffic.global_load, &context.traffic.global_store}) {
    const Coalescing split = split_excess(context.run, *totals, context.traffic.async_copy);
    const std::string fact =
        fmt::format("a block {} threads wide splits {} into short rows", block.x, noun_of(*totals));
    const std::string cure = fmt::format("make the block 32 threads wide: {}x{} in place of {}x{}", 32,
                                         (block.count() + 31) / 32, block.x, block.y * block.z);
    for (Finding& finding :
         global_finding(context, FindingKind::kNarrowBlock, *totals, split.narrow_block, fact, cure))
      findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

Rule narrow_block_rule();
Rule narrow_block_rule() {
  return {"narrow_block", {FindingKind::kNarrowBlock}, examine, {sectors_threshold()}};
}

}  // namespace gpuprobe::diagnose
