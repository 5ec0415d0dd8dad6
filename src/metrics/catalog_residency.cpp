// Rows about residency, the launch and time: no counter but one, the rest comes from the compiled kernel, the
// launch configuration, the driver and events.
#include "metrics/catalog_rows.h"

namespace gpuprobe::catalog {

std::vector<MetricRow> residency_rows() {
  std::vector<MetricRow> rows;
  rows.push_back(
      static_row("occupancy.theoretical", Unit::kPercent, "warps that can reside on an SM, of the maximum"));
  rows.push_back(
      gpu_only(counter_row("occupancy.achieved", Unit::kPercent,
                           "warps that did reside, of the maximum, over the cycles in which an SM was "
                           "active",
                           "sm__warps_active.avg.pct_of_peak_sustained_active")));
  rows.push_back(static_row("occupancy.limiter", Unit::kNone,
                            "the resources that allow the fewest blocks, all of them if tied"));
  rows.push_back(static_row("occupancy.blocks_per_sm", Unit::kBlock, "blocks that can reside on one SM"));
  rows.push_back(static_row("occupancy.blocks_per_sm.registers", Unit::kBlock, "limit by registers"));
  rows.push_back(static_row("occupancy.blocks_per_sm.shared", Unit::kBlock, "limit by shared memory"));
  rows.push_back(static_row("occupancy.blocks_per_sm.warps", Unit::kBlock, "limit by warps"));
  rows.push_back(static_row("occupancy.blocks_per_sm.blocks", Unit::kBlock, "limit by block slots"));
  rows.push_back(static_row("occupancy.blocks_per_sm.barriers", Unit::kBlock, "limit by named barriers"));
  rows.push_back(static_row("occupancy.blocks_per_sm.driver", Unit::kBlock,
                            "the driver's own answer (cuOccupancyMaxActiveBlocksPerMultiprocessor)", true));
  rows.push_back(static_row("launch.registers", Unit::kRegister, "registers of one thread, from the cubin"));
  rows.push_back(static_row("launch.shared_static", Unit::kByte, "static shared memory of a block"));
  rows.push_back(static_row("launch.shared_dynamic", Unit::kByte, "dynamic shared memory of a block"));
  rows.push_back(
      static_row("launch.local_bytes", Unit::kByte, "stack frame of a thread: spills, local arrays"));
  rows.push_back(static_row("launch.block_threads", Unit::kThread, "threads of a block"));
  rows.push_back(static_row("launch.grid_blocks", Unit::kBlock, "blocks of the grid"));
  rows.push_back(static_row("launch.waves", Unit::kRatio, "grid blocks / blocks that the GPU holds at once"));
  rows.push_back(static_row("launch.steps", Unit::kNone, "kernel launches that make up one run"));
  rows.push_back(static_row("time.duration", Unit::kSecond,
                            "median time of one run on the GPU, by events, without profiling", true));
  rows.push_back(static_row("time.min", Unit::kSecond, "fastest timed run", true));
  rows.push_back(static_row("time.max", Unit::kSecond, "slowest timed run", true));
  return rows;
}

}  // namespace gpuprobe::catalog
