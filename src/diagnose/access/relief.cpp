#include "diagnose/access/relief.h"

#include <algorithm>

namespace gpuprobe::diagnose {
Relief global_relief(const Context& context, const AccessTotals& totals, double sectors) {
  Relief relief;
  if (sectors <= 0 || totals.excess() <= 0) return relief;
  const Work& work = context.cost.work();
  const double part = std::min(1.0, sectors / totals.excess());
  const bool is_load = totals.kind == AccessKind::kGlobalLoad;
  relief.of_stores = !is_load;

  const double lines = is_load ? work.load_lines : work.store_lines;
  relief.tag_lines = part * std::max(0.0, lines - ideal_lines(totals));

  // DRAM moved more than the useful bytes only if the rest of a sector is never used.
  const double useful = totals.ideal * 32.0;
  const double moved = is_load ? work.dram_read_bytes : work.dram_bytes - work.dram_read_bytes;
  if (work.dram_bytes > 0 && moved > kOrdinaryOverfetch * useful)
    relief.dram_share = part * (moved - useful) / work.dram_bytes;

  // Stores pass L1 by: all their sectors reach L2. Of loads, L1 serves an unknown part of the excess.
  const double all = context.traffic.global_load.actual + context.traffic.global_store.actual;
  const double share = all > 0 ? sectors / all : 0.0;
  relief.l2_share = {is_load ? std::min(share, relief.dram_share) : share, share};
  if (!is_load) {
    // Loads that hit L1 do not reach L2, so the stores' share of it may be larger.
    const double reached =
        std::min(context.traffic.global_load.actual,
                 work.dram_read_bytes > 0 ? work.dram_read_bytes / 32.0 : context.traffic.global_load.actual);
    const double at_least = reached + context.traffic.global_store.actual;
    if (at_least > 0) relief.l2_share.high = std::max(share, sectors / at_least);
  }
  return relief;
}

}  // namespace gpuprobe::diagnose
